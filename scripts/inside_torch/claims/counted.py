"""The decorator of a claim, and populations that are generated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import FunctionType, LambdaType
from typing import Any

#: A function of no arguments that returns names, or a mapping of names to what a claim judges.
Population = Callable[[], "Iterable[str] | Mapping[str, Any]"]
#: Whether the claim holds for one member.
Judge = Callable[[Any], bool]

MISSING = object()


@dataclass(frozen=True)
class Counted:
    """A claim: ``judge`` says of each member of ``population`` whether it holds.

    ``planted`` is a member for which it must not hold, or a function that makes one. ``minimum`` is the least
    number of members, ``timeout`` the seconds that a count may take, ``build`` the build of torch (``cpu``,
    ``cuda``) on which alone it is counted, or ``dry``, the dry GPU of the CUDA build, ``exceptions`` why a
    reader meets none of those that fail.
    """

    judge: Judge
    population: Population
    planted: Any
    build: str = ""
    minimum: int = 1
    timeout: int = 120
    exceptions: str = ""

    def __call__(self, member: Any) -> bool:
        """The claim's own answer; raises ``TypeError`` where it is no bool."""
        answer = self.judge(member)
        if not isinstance(answer, bool):
            raise TypeError(f"{self.judge.__name__} returned {answer!r}, which is no bool")
        return answer

    def members(self) -> dict[str, Any]:
        """Name to member, in the order of the names."""
        found = self.population()
        members = dict(found) if isinstance(found, Mapping) else {name: name for name in found}
        for name in members:
            if not isinstance(name, str) or not name or re.search(r"[\t\n`]", name):
                raise ValueError(
                    f"{name!r} cannot be a member's name: a name is a text with no tab, "
                    "line break or backtick"
                )
        return dict(sorted(members.items()))

    def counterexample(self) -> Any:
        """The planted member."""
        made = isinstance(self.planted, FunctionType | LambdaType)
        return self.planted() if made else self.planted


def counted(
    population: Population,
    *,
    planted: Any = MISSING,
    build: str = "",
    minimum: int = 1,
    timeout: int = 120,
    exceptions: str = "",
) -> Callable[[Judge], Counted]:
    """Make a function of one member a claim about every member of a population; see :class:`Counted`.

    The function's name with hyphens is the claim's id, its docstring, one sentence, what is claimed. Raises
    ``TypeError`` where no counterexample is planted.
    """
    if planted is MISSING:
        raise TypeError("a claim needs planted=, a member for which it must not hold")

    def make(judge: Judge) -> Counted:
        return Counted(judge, population, planted, build, minimum, timeout, exceptions)

    return make


def cases(strategy: Any, *, count: int = 500) -> Population:
    """A population of ``count`` values that a strategy of hypothesis generates, each named by its ``repr``.

    They are the same on each run. Fewer come where the strategy has no more; equal names are one member.
    Raises ``ValueError`` where a name holds an address, since it would be another on each run.
    """

    def generated() -> dict[str, Any]:
        from hypothesis import HealthCheck, Phase, given, seed, settings

        class Enough(Exception):
            """Ends the drawing, which would go on to the last of its examples."""

        found: dict[str, Any] = {}

        @seed(0)
        @settings(
            max_examples=20 * count,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(strategy)
        def draw(value: Any) -> None:
            if len(found) == count:
                raise Enough
            # as an escape, a backtick is the same text to Python, and plain to a page
            found.setdefault(" ".join(repr(value).split()).replace("`", r"\x60"), value)

        with suppress(Enough):
            draw()
        for name in found:
            if re.search(r"\bat 0x[0-9a-f]{6,}", name):
                raise ValueError(f"the case {name} has an address in its name")
        return found

    generated.__name__ = generated.__qualname__ = "cases"
    return generated
