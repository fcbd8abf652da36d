"""The symbols of a source file, parsed once for all processes: what was found is kept in the user's cache."""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import suppress
from dataclasses import astuple
from functools import cache
from importlib import metadata
from pathlib import Path

import platformdirs

from inside_torch.files import write_whole
from inside_torch.pins import cpp, python_symbols, symbols, torchgen_yaml
from inside_torch.pins.symbols import Symbol
from inside_torch.pins.wheel import SourceFile


def symbols_of(source: SourceFile) -> list[Symbol]:
    """Every symbol of the file, from the cache or by its language's parser, whose errors it raises."""
    key = hashlib.sha256("\0".join([_parsers(), source.language, source.text]).encode()).hexdigest()
    kept = platformdirs.user_cache_path("inside-torch") / "symbols" / f"{key[:32]}.json"
    with suppress(OSError, ValueError, TypeError, KeyError):
        return [_symbol(*row) for row in json.loads(kept.read_text("utf-8"))["symbols"]]
    found = _parse(source)
    with suppress(OSError):  # where nothing can be kept it is parsed again next time
        write_whole(kept, json.dumps({"symbols": [astuple(symbol) for symbol in found]}))
    return found


def _parse(source: SourceFile) -> list[Symbol]:
    match source.language:
        case "python":
            return python_symbols.symbols(source.text, source.path)
        case "yaml":
            return torchgen_yaml.symbols(source.lines)
        case _:
            return cpp.symbols(source.text)


def _symbol(
    name: str, first: int, last: int, kind: str, rank: int, scope: list[str], types: list[str] | None
) -> Symbol:
    return Symbol(name, first, last, kind, rank, tuple(scope), None if types is None else tuple(types))


@cache
def _parsers() -> str:
    """A digest of all that decides what is found: our parsers, and those under them."""
    files = [Path(module.__file__ or "") for module in (cpp, python_symbols, symbols, torchgen_yaml)]
    parts = [sys.version, *(metadata.version(name) for name in ("tree-sitter", "tree-sitter-cpp"))]
    parts += [file.read_text("utf-8") for file in files]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
