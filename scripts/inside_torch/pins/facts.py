"""What the compiled code says of one function: its callees, and which of two things comes first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

#: How a callee is found: called by its name, compiled into the caller (an assertion of it is there), through
#: a table of virtual functions, its address taken, or by a lambda of the caller.
KINDS = ("call", "inlined", "virtual", "address", "lambda")


@dataclass(frozen=True)
class Facts:
    """What the code of one function says of the names and lines that pages speak of.

    ``callees``: name to how it is found, one of :data:`KINDS`, or None where it is not. ``before``: pairs of
    which the first comes before the second wherever that stands, and nowhere after it; a name, or
    ``line 526`` of an assertion. ``within``: the function whose code was read, another one where this one was
    compiled into it; empty where there is none. ``lines``: those of the assertions that were looked for.
    """

    within: str
    callees: dict[str, str | None] = field(default_factory=dict)
    before: frozenset[tuple[str, str]] = frozenset()
    lines: tuple[int, ...] = ()

    def tell(self, names: Collection[str], lines: Collection[int]) -> bool:
        """Whether these names and lines, and no others, were looked for."""
        return set(self.callees) == set(names) and set(self.lines) == set(lines)

    def borne_out(self, found: Facts) -> bool:
        """Whether another build's code has the same callees and lines, and puts no two in the other order."""
        return (
            set(self.callees) == set(found.callees)
            and all((how is None) == (found.callees[name] is None) for name, how in self.callees.items())
            and self.lines == found.lines
            and not any((second, first) in found.before for first, second in self.before)
        )


def anchor(line: int) -> str:
    """How the facts name the assertion of a line."""
    return f"line {line}"


def callee_is(function: str, name: str) -> bool:
    """Whether a function, by its full name, is the named one: ``f`` or ``C::f`` of ``n::C::f``, ``C`` of
    ``n::C::C``, ``at::f`` or ``f`` of the operator ``at::_ops::f::call``.
    """
    if function.startswith("at::_ops::"):  # an operator is called by a class of its name
        function = "at::" + function.removeprefix("at::_ops::").rsplit("::", 1)[0]
    parts = function.split("::")
    if len(parts) > 1 and parts[-1] == parts[-2] and name.split("::")[-1:] * 2 != name.split("::")[-2:]:
        parts = parts[:-1]
    return f"::{'::'.join(parts)}".endswith(f"::{name}")
