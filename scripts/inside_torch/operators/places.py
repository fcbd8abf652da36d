"""Where an operator stands in the release and in the book: headers, addresses, articles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from inside_torch.book.uses import uses
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.operators.catalogue import DERIVATIVES, NATIVE, Operator
from inside_torch.operators.generated import METHODS, names
from inside_torch.pins.address import Address
from inside_torch.pins.names import bare, last
from inside_torch.pins.resolve import Evidence, Pin, resolve
from inside_torch.pins.wheel import COMPILED, HEADERS, Wheel

_OPS = "torch/include/ATen/ops/"
#: Parts of names that say nothing of one operator.
_COMMON = {*METHODS, "at", "native", "autograd", "generated", "functorch", "functionalization"}
_COMMON |= {"VariableType", "TraceType", "ADInplaceOrView"}
_MACRO = re.compile(r"TORCH_(?:META_FUNC2?|IMPL_FUNC)\s*\((.*)\)")


@dataclass(frozen=True)
class ArticleMention:
    """An article that pins places of an operator: the file and line of the first, the addresses of all.

    Trace files of an article's programs count as the article; ``article`` is its slug.
    """

    article: str
    file: str
    line: int
    addresses: list[str]


def headers(operator: Operator, wheel: Wheel) -> list[str]:
    """Paths of the headers that torchgen wrote for the operator's name, in the wheel."""
    written = re.compile(rf"{re.escape(operator.base)}(?:_(?:ops|native|meta|[a-z]+_dispatch))?\.h")
    found = (wheel.site / _OPS).glob(f"{operator.base}*.h")
    return sorted(_OPS + file.name for file in found if written.fullmatch(file.name))


def places(operator: Operator, sources: Evidence) -> list[Pin]:
    """The operator's entries in the YAML files and its struct in the generated header, resolved."""
    entries = [f"{NATIVE}::{name}" for name in (operator.entry, operator.structured) if name]
    entries += [f"{DERIVATIVES}::{one.entry}" for one in operator.derivatives]
    struct = operator.function.func.name.unambiguous_name()
    entries.append(f"{_OPS}{operator.base}_ops.h::{struct}")
    found = []
    for entry in dict.fromkeys(entries):
        try:
            found.append(resolve(f"src:{entry}", sources))
        except BookError as error:
            if error.rule != "pin-symbol":  # a formula that torchgen made has no entry
                raise
    return found


def mentions(operator: Operator, pins: list[Pin], book: Book) -> list[ArticleMention]:
    """The articles of the book that pin the operator's places or functions it is made of."""
    own = {(pin.address.path, pin.address.symbol) for pin in pins}
    words = {part for name, _ in names(operator) for part in name.split("::")[-2:]} - _COMMON
    found: dict[str, ArticleMention] = {}
    for use in uses(book):
        try:
            address = use.address
        except BookError:  # `inside-torch check` says so
            continue
        if (address.path, address.symbol) not in own and not _explains(address, words):
            continue
        top, *parts = use.file.parts
        slug = "/".join(PurePosixPath(*(parts[1:] if top == "docs" else parts[:2])).with_suffix("").parts)
        one = found.setdefault(slug, ArticleMention(slug, use.file.as_posix(), use.line, []))
        if str(address) not in one.addresses:
            one.addresses.append(str(address))
    return list(found.values())


def _explains(address: Address, words: set[str]) -> bool:
    """Whether an address of a C++ file has a function, or a class of functions, by one of these names."""
    if address.symbol is None or PurePosixPath(address.path).suffix not in (*HEADERS, *COMPILED):
        return False
    if macro := _MACRO.fullmatch(address.symbol):
        return "structured_" + "_".join(word.strip() for word in macro[1].split(",")) in words
    name = bare(address.symbol)
    return last(name) in words or (last(name) in METHODS and last(name.rpartition("::")[0]) in words)
