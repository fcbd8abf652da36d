"""Real addresses in any number, for measuring: Python, headers, YAML and witnessed functions in the mix of a
module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice

from inside_torch.pins.line_table import rows
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.witness import Libraries

#: Folders that the curriculum walks through.
_PYTHON = ("torch/autograd/", "torch/nn/modules/", "torch/optim/", "torch/_dynamo/", "torch/_inductor/")
_HEADERS = ("torch/csrc/autograd/", "c10/core/", "aten/src/ATen/core/", "torch/csrc/distributed/c10d/")
_YAML = ("aten/src/ATen/native/native_functions.yaml", "tools/autograd/derivatives.yaml")


def sample_addresses(count: int, sources: Evidence) -> list[str]:
    """``count`` different addresses that each mean one place, spread over more than a hundred files; the same
    on every call.
    """
    paths = sources.wheel.paths()
    texts = [
        _spread(paths, _PYTHON, (".py",), 60, sources),
        _spread(paths, _HEADERS, (".h", ".hpp"), 60, sources),
        _entries(sources),
        _compiled(sources),
    ]
    found: dict[str, None] = {}
    # Of every ten: four Python, four headers, one YAML entry, one witnessed function.
    for kind in islice(cycle((0, 1, 0, 1, 2, 0, 1, 0, 3, 1)), 40 * count):
        address = next(texts[kind], None)
        if address is not None:
            found[address] = None
        if len(found) == count:
            break
    return list(found)


def _spread(
    paths: list[str], folders: tuple[str, ...], suffixes: tuple[str, ...], files: int, sources: Evidence
) -> Iterator[str]:
    """One unambiguous symbol of each file in turn, then the next of each."""
    some = [path for path in paths if path.startswith(folders) and path.endswith(suffixes)]
    some = some[:: max(1, len(some) // files)][:files]
    names: list[list[str]] = []
    for path in some:
        source = sources.read(path)
        symbols = sources.symbols(source) if source else []
        counted = [
            symbol
            for symbol in symbols
            if symbol.kind in ("function", "class", "struct")
            # What is only declared here, with other parameter types say, is a place too.
            or (symbol.kind == "declaration" and symbol.parameters is not None)
        ]
        times = Counter("::".join((*symbol.scope, symbol.name)) for symbol in counted)
        once = [name for name, count in times.items() if count == 1 and "<" not in name]
        names.append([f"src:{path}::{name}" for name in once])
    for turn in range(max(map(len, names), default=0)):
        yield from (own[turn] for own in names if turn < len(own))


def _entries(sources: Evidence) -> Iterator[str]:
    for path in _YAML:
        source = sources.read(path)
        symbols = sources.symbols(source) if source else []
        yield from (f"src:{path}::{symbol.name}" for symbol in symbols[::40])


def _compiled(sources: Evidence) -> Iterator[str]:
    """The rows of the line table that witnesses in this build's libraries bear out."""
    libraries = sources.witnesses
    if not isinstance(libraries, Libraries):
        return
    libraries.search(rows())
    for path, several in rows().items():
        if libraries.witnesses(path):
            yield from (f"src:{path}::{row.symbol}" for row in several if row.confidence == "exact")
