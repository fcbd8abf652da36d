"""What a parsed source file offers to an address, and the choice of the one symbol that is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import Address, collapse


@dataclass(frozen=True)
class Symbol:
    """A named range of lines: ``first`` to ``last``, 1-based, inclusive.

    ``scope`` holds the namespaces, which an address may leave out; ``name`` what it must say, class names
    included. ``parameters`` are the types of a C++ function, None for anything that takes none. ``rank`` is 0
    for what an address means first (a definition), more for what stands in only where there is nothing
    better.
    """

    name: str
    first: int
    last: int
    kind: str
    rank: int = 0
    scope: tuple[str, ...] = ()
    parameters: tuple[str, ...] | None = None

    @property
    def shown(self) -> str:
        parameters = "" if self.parameters is None else f"({', '.join(self.parameters)})"
        return "::".join((*self.scope, self.name)) + parameters


def candidates(symbols: Iterable[Symbol]) -> str:
    """The choices that an ambiguous address has, one a line."""
    chosen = sorted(set(symbols), key=lambda symbol: symbol.first)
    return "\n".join(
        f"{symbol.shown} ({symbol.kind}, lines {symbol.first}-{symbol.last})" for symbol in chosen[:12]
    )


def unknown(address: Address, names: Iterable[str]) -> BookError:
    """No such symbol in the file."""
    known = sorted(set(names))
    close = nearest(address.symbol or "", known)
    last = re.split(r"::|\.", (address.symbol or "").partition("(")[0])[-1]
    if not close and last:
        close = ", ".join([name for name in known if last.lower() in name.lower()][:3])
    if not close and last:
        tails = {re.split(r"::|\.", name)[-1]: name for name in known}
        close = ", ".join(tails[tail] for tail in nearest(last, tails).split(", ") if tail)
    return BookError(
        "pin-symbol", f"no symbol {address.symbol!r} in {address.path}", "a symbol of that file", close
    )


def narrow(address: Address, lines: Sequence[str], ranges: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """The number (1-based), twice, of the one line of ``ranges`` that holds the address's text."""
    wanted = address.text or ""
    spans = list(ranges)
    numbers = sorted({number for first, last in spans for number in range(first, last + 1)})
    found = [number for number in numbers if wanted in collapse(lines[number - 1])]
    if len(found) > 1:  # a text that is one line's whole text means that line
        found = [number for number in found if wanted == collapse(lines[number - 1])] or found
    if len(found) == 1:
        return found[0], found[0]
    if found:
        raise BookError(
            "pin-text",
            f"{len(found)} lines of {address} hold {wanted!r}",
            "a text that one line holds",
            "\n".join(f"line {number}: {collapse(lines[number - 1])[:90]}" for number in found[:8]),
        )
    texts = {collapse(lines[number - 1]): number for number in reversed(numbers)}
    close = [text for text in nearest_lines(wanted, texts)]
    raise BookError(
        "pin-text",
        f"no line of {address} holds {wanted!r}",
        "a text of one of its lines",
        "\n".join(f"line {texts[text]}: {text[:90]}" for text in close),
    )


def nearest_lines(wanted: str, texts: Iterable[str]) -> list[str]:
    """The few of ``texts`` that share most words with ``wanted``, then most letters."""
    words = set(re.findall(r"\w+", wanted.lower()))
    scored = []
    for text in texts:
        shared = len(words & set(re.findall(r"\w+", text.lower())))
        if shared:
            scored.append((-shared, len(text), text))
    return [text for *_, text in sorted(scored)[:3]]
