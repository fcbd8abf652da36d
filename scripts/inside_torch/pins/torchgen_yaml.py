"""Entries of the generator's YAML files, by their lines: ``- func: add.Tensor(…)``, ``- name:
mul.Tensor(…)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.symbols import Symbol, candidates, unknown

_ENTRY = re.compile(r"- (?:func|name|tag|backend): *\"?([^(\s\"]+)")


def symbols(lines: Sequence[str]) -> list[Symbol]:
    """Every entry, from its dash to its last line; blank lines and comments before the next one are not its
    own.
    """
    starts = [number for number, line in enumerate(lines) if line.startswith("- ")]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        match = _ENTRY.match(lines[start])
        if not match:
            continue
        own = (n for n in range(start + 1, end) if lines[n].startswith(" ") and lines[n].strip())
        found.append(Symbol(match[1], start + 1, max(own, default=start) + 1, "entry"))
    return found


def choose(address: Address, known: Sequence[Symbol]) -> list[Symbol]:
    """The entry of that name."""
    chosen = [symbol for symbol in known if symbol.name == address.symbol]
    if not chosen:
        raise unknown(address, (symbol.name for symbol in known))
    if len(chosen) > 1 and not address.text:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {len(chosen)} entries",
            "an address of one entry",
            candidates(chosen),
        )
    return chosen
