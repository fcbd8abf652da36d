"""Symbols of a Python file, by ``ast``: functions, classes, nested ones, assignments to names."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator, Sequence

from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.symbols import Symbol, candidates, unknown

_BLOCKS = ("body", "orelse", "finalbody")


def symbols(text: str, path: str) -> list[Symbol]:
    """Every definition of the file; decorators belong to what they decorate."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise BookError(
            "pin-syntax",
            f"Python {sys.version.split()[0]} cannot read {path}: {error.msg}, line {error.lineno}",
            "a newer Python for this file, or an address with #text and no symbol",
        ) from None
    return list(_walk(tree.body, ""))


def _walk(body: Sequence[ast.stmt], prefix: str) -> Iterator[Symbol]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            name = prefix + node.name
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            yield Symbol(name, first, node.end_lineno or first, kind, _rank(node.decorator_list))
            yield from _walk(node.body, f"{name}.")
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            # `x += …` changes what another line defines; a bare `x: int` only declares it.
            rank = (
                2 if isinstance(node, ast.Assign) or (isinstance(node, ast.AnnAssign) and node.value) else 3
            )
            for target in targets:
                for name in _names(target):
                    yield Symbol(
                        prefix + name, node.lineno, node.end_lineno or node.lineno, "assignment", rank
                    )
        else:
            if type(node).__name__ == "TypeAlias":  # Python 3.12
                name = node.name.id  # type: ignore[attr-defined]
                yield Symbol(prefix + name, node.lineno, node.end_lineno or node.lineno, "type", 2)
            for block in _BLOCKS:
                yield from _walk(getattr(node, block, None) or [], prefix)
            for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _walk(part.body, prefix)


def _names(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _names(element)


def _rank(decorators: Sequence[ast.expr]) -> int:
    """1 for what only types a function (overload) or adds to a property, 0 for the function itself."""
    for decorator in decorators:
        written = ast.unparse(decorator)
        if re.fullmatch(r"(?:\w+\.)*_?overload|.*\.(?:setter|deleter)", written):
            return 1
    return 0


def choose(address: Address, known: Sequence[Symbol]) -> list[Symbol]:
    """The symbol that the address means, more than one only where it names a text to tell them apart by."""
    matching = [symbol for symbol in known if symbol.name == address.symbol]
    if not matching:
        raise unknown(address, (symbol.name for symbol in known))
    best = min(symbol.rank for symbol in matching)
    chosen = sorted((symbol for symbol in matching if symbol.rank == best), key=lambda symbol: symbol.first)
    if len(chosen) > 1 and not address.text:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {len(chosen)} places",
            "an address of one place: add #text of one of their lines",
            candidates(chosen),
        )
    return chosen
