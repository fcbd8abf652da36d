"""What witnesses prove about a symbol of a file that the wheel does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from inside_torch.errors import BookError, nearest
from inside_torch.pins import cpp
from inside_torch.pins.address import Address
from inside_torch.pins.line_table import Row, rows
from inside_torch.pins.names import bare, last
from inside_torch.pins.symbols import nearest_lines
from inside_torch.pins.witness import Witness

UNPROVEN = "no line of it is proven, only that the library has it"
#: How a row of the line table came to its lines.
TABLE = "its ends follow from the distances between witnesses"


@dataclass(frozen=True)
class Proof:
    """Lines ``first`` to ``last``, the witnesses that lie in them, those on either side where none does, and
    how.

    None to None where the line table names the symbol but no witness bears out a line of it.
    """

    first: int | None
    last: int | None
    witnesses: tuple[Witness, ...]
    around: tuple[Witness, ...]
    how: str


def prove(address: Address, witnesses: Sequence[Witness]) -> Proof:
    """What the witnesses of the address's file prove of it; raises :class:`BookError` where they prove
    nothing.
    """
    if address.symbol is None:
        return _narrow(address, witnesses)
    row = _row(address)
    if row is None:
        proof = _by_function(address, witnesses)
    elif row.confidence != "exact" or (row.last is None and inside_of(row, witnesses)):
        proof = _bounded(address, row, witnesses)
    else:
        proof = _exact(address, row, witnesses)
    return _narrow(address, proof.witnesses, proof) if address.text else proof


def _row(address: Address) -> Row | None:
    """The table's row of the symbol: leading namespaces may be missing on either side."""
    name, parameters = cpp.split(address.symbol or "")
    found = []
    for row in rows().get(address.path, ()):
        own, own_parameters = cpp.split(row.symbol)
        same = parameters is None or own_parameters is None or parameters == own_parameters
        if same and (name == own or name.endswith(f"::{own}")):
            found.append(row)
    if len(found) > 1:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {len(found)} places",
            "the parameter types of one of them",
            "\n".join(f"{row.symbol} (about line {row.first})" for row in found),
        )
    return found[0] if found else None


def _agrees(witness: Witness, name: str) -> bool:
    """Whether the witness's function is the named one, or a lambda in it."""
    if witness.function == "operator()" and last(name) != "operator()":
        return last(_holder(witness)) == last(name)
    return witness.function == last(name)


def inside_of(row: Row, witnesses: Iterable[Witness]) -> list[Witness]:
    """The witnesses that lie where the row says, up to the next row where it has no last line."""
    end = row.last
    if end is None:
        later = [other.first for other in rows().get(row.path, ()) if other.first > row.first]
        end = min(later, default=10**9) - 1
        name = cpp.split(row.symbol)[0]
        return [w for w in witnesses if row.first <= w.line <= end and _agrees(w, name)]
    return [witness for witness in witnesses if row.first <= witness.line <= end]


def _exact(address: Address, row: Row, witnesses: Sequence[Witness]) -> Proof:
    inside = inside_of(row, witnesses)
    name = cpp.split(row.symbol)[0]
    _hold(address, row, inside, name)
    if any(_agrees(witness, name) for witness in inside):
        return Proof(row.first, row.last or row.first, tuple(inside), (), TABLE)
    end = row.last or row.first
    before = max((w for w in witnesses if w.line < row.first), key=lambda w: w.line, default=None)
    after = min((w for w in witnesses if w.line > end), key=lambda w: w.line, default=None)
    if before is None or after is None:
        return Proof(None, None, (), (), UNPROVEN)
    return Proof(row.first, end, tuple(inside), (before, after), TABLE)


def _bounded(address: Address, row: Row, witnesses: Sequence[Witness]) -> Proof:
    name = cpp.split(row.symbol)[0]
    inside = inside_of(row, witnesses)
    _hold(address, row, inside, name)
    own = [witness for witness in inside if _agrees(witness, name)]
    if not own:
        return Proof(None, None, (), (), UNPROVEN)
    if row.last is None and row.confidence == "exact":
        return Proof(row.first, own[-1].line, tuple(own), (), "its end is not proven: to its last witness")
    return Proof(
        own[0].line, own[-1].line, tuple(inside), (), "its ends are not proven: from first to last witness"
    )


def _hold(address: Address, row: Row, inside: Iterable[Witness], name: str) -> None:
    """Raises where a witness in the row's lines belongs to another function."""
    for witness in inside:
        if witness.function and witness.function != "operator()" and not _agrees(witness, name):
            raise BookError(
                "pin-contradicted",
                f"line {witness.line}, which the line table gives to {address}, lies in {witness.function}",
                f"witnesses of {name} alone",
            )


def _by_function(address: Address, witnesses: Sequence[Witness]) -> Proof:
    wanted = cpp.tidy(address.symbol or "")
    # A block is named by its macro and arguments, TORCH_LIBRARY_IMPL(aten, CPU, m); no function is.
    block = [w for w in witnesses if "(" in w.function.removesuffix("()") and cpp.tidy(w.function) == wanted]
    name, parameters = cpp.split(wanted)
    own = block or [witness for witness in witnesses if _agrees(witness, name)]
    if not own:
        raise unknown(address, witnesses)
    if len(block) > 1:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {len(block)} blocks",
            "a block that is the only one of its kind in the file, or the whole file",
            "\n".join(f"line {witness.line}" for witness in block),
        )
    if not block:
        own = _of_one_function(address, own, name, parameters)
    first, end = own[0].line, own[-1].line
    others = [w for w in witnesses if first <= w.line <= end and w not in own]
    # One of the same name may be of this function, inlined; a lambda may be anybody's.
    inlined = {w for w in others if w.function == last(name) and last(_holder(w)) != last(name)}
    between = {w.function for w in others if w not in inlined} - {"", "operator()"}
    if between and not address.text:
        raise BookError(
            "pin-ambiguous",
            f"the witnesses of {address} stand in several places: between them lie those of "
            f"{', '.join(sorted(between))}",
            "one of them, by #text",
            "\n".join(f"line {w.line}: {w.text[:80]} ({w.within})" for w in own[:8]),
        )
    how = "the block's first line" if block else "from its first to its last witness"
    return Proof(first, end, tuple(own), (), how)


def _of_one_function(
    address: Address, own: list[Witness], name: str, parameters: tuple[str, ...] | None
) -> list[Witness]:
    """Those of the function that the address's qualifiers and parameter types single out."""
    # Those whose code was not inlined into another function.
    sure = [witness for witness in own if last(_holder(witness)) == last(name)]
    if "::" in name:
        meant = [witness for witness in sure if f"::{_holder(witness)}".endswith(f"::{name}")]
        if sure and not meant:
            raise unknown(address, own)
        sure = meant
    functions = {_holder(witness) for witness in sure}
    signatures = {
        witness.within[len(bare(witness.within)) :] for witness in sure if "{lambda" not in witness.within
    }
    if parameters is not None:
        plain = tuple(cpp.plain_type(re.sub(r"<.*>|\bconst\b", "", one)) for one in parameters)
        meant = [w for w in sure if _plain_parameters(w.within) == plain]
        if not meant:
            raise BookError(
                "pin-symbol",
                f"no witness of {address} has those parameter types",
                "its types as the library has them",
                "; ".join(sorted(witness.within for witness in sure)[:4]),
            )
        return meant
    if (len(functions) > 1 or len(signatures) > 1) and not address.text:
        raise BookError(
            "pin-ambiguous",
            f"{address} names {max(len(functions), len(signatures))} functions",
            "more of the name, parameter types, or #text",
            "\n".join(sorted({w.within for w in sure})[:8]),
        )
    return sure or own


def _holder(witness: Witness) -> str:
    """The qualified name of the function whose code, lambdas included, holds the witness."""
    return re.sub(r"::\{lambda.*", "", bare(witness.within))


def _plain_parameters(within: str) -> tuple[str, ...]:
    parameters = cpp.split(within)[1] or ()
    return tuple(cpp.plain_type(re.sub(r"\bconst\b", "", one)) for one in parameters)


def _narrow(address: Address, witnesses: Iterable[Witness], whole: Proof | None = None) -> Proof:
    """The one witness that holds the address's text; ``whole`` is what the symbol's lines were proven by."""
    wanted = address.text or ""
    several = list(witnesses)
    found = [witness for witness in several if wanted in witness.text]
    if len(found) > 1:
        found = [witness for witness in found if wanted == witness.text] or found
    if len(found) == 1:
        # A string of an assertion names no function: then the others are what ties it to the symbol.
        others = () if found[0].function or whole is None else (*whole.witnesses, *whole.around)
        around = tuple(sorted(set(others) - {found[0]}))
        return Proof(found[0].line, found[0].line, (found[0],), around, "the assertion's first line")
    shown = found or [
        w for text in nearest_lines(wanted, [w.text for w in several]) for w in several if w.text == text
    ]
    raise BookError(
        "pin-text",
        f"{len(found)} witnesses of {address} hold {wanted!r}"
        if found
        else f"no witness of {address} holds {wanted!r}",
        "a text of one assertion, as `inside-torch show` lists them",
        "\n".join(f"line {witness.line}: {witness.text[:90]}" for witness in (shown or several)[:6]),
    )


def _known(address: Address, witnesses: Iterable[Witness]) -> str:
    """The nearest symbols of the file that can be pinned."""
    names = {row.symbol for row in rows().get(address.path, ())}
    for witness in witnesses:
        if witness.function and witness.function != "operator()":
            qualified = bare(witness.within)
            names.add(qualified if last(qualified) == witness.function else witness.function)
    close = nearest(address.symbol or "", names)
    if not close:
        tails = {last(cpp.split(name)[0]): name for name in sorted(names)}
        tail = last(cpp.split(address.symbol or "")[0])
        close = ", ".join(tails[one] for one in nearest(tail, tails).split(", ") if one)
    return close


def unknown(address: Address, witnesses: Iterable[Witness]) -> BookError:
    """Nothing in the libraries tells of the symbol."""
    return BookError(
        "pin-symbol",
        f"no witness of {address.symbol!r} in {PurePosixPath(address.path)}",
        "a function with an assertion in it, the whole file, or a source tree (--tree)",
        _known(address, witnesses),
    )
