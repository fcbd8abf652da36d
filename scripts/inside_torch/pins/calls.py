"""What the compiled code says of a function's steps: which callees it calls, which of two comes first.

The facts of the pages' ``.cpp`` excerpts are kept in ``calls.lock``, so that a page is judged in a moment and
on any platform; ``inside-torch lock`` writes them, ``inside-torch verify --witnesses`` derives them again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from inside_torch.errors import BookError
from inside_torch.files import write_whole
from inside_torch.pins.facts import KINDS, Facts
from inside_torch.pins.release import COMMIT, RELEASE
from inside_torch.pins.resolve import Evidence, Pin
from inside_torch.pins.witness import Libraries, cuda_only

if TYPE_CHECKING:
    from inside_torch.pins.lock import PinLock

FILE = "calls.lock"

#: Address to the names and the lines of assertions that pages speak of.
Wanted = Mapping[str, tuple[Collection[str], Collection[int]]]


class CallsLock:
    """The file ``calls.lock`` at the repository's root: address of a function to its :class:`Facts`."""

    def __init__(self, root: Path, facts: Mapping[str, Facts]) -> None:
        self.file = root / FILE
        self.facts = dict(sorted(facts.items()))

    @classmethod
    def load(cls, root: Path) -> CallsLock:
        """Reads the file, empty where there is none; raises :class:`BookError` where it is not ours."""
        file = root / FILE
        try:
            data = json.loads(file.read_text("utf-8"))
        except FileNotFoundError:
            return cls(root, {})
        except (OSError, ValueError) as error:
            raise BookError("calls-form", f"{error}", "what `inside-torch lock` writes", file=file) from None
        try:
            if (data["release"], data["commit"]) != (RELEASE, COMMIT):
                raise ValueError(f"facts of {data['release']}, not of {RELEASE}")
            facts = {
                address: Facts(
                    str(one["within"]),
                    {str(name): _kind(how) for name, how in one["callees"].items()},
                    frozenset((str(first), str(second)) for first, second in one["before"]),
                    tuple(int(line) for line in one["lines"]),
                )
                for address, one in data["functions"].items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BookError("calls-form", f"{error}", "what `inside-torch lock` writes", file=file) from None
        return cls(root, facts)

    @property
    def text(self) -> str:
        """What the file holds, a function a line."""
        functions = ",\n".join(
            f"{json.dumps(address, ensure_ascii=False)}: "
            + json.dumps(
                {
                    "within": one.within,
                    "callees": one.callees,
                    "lines": one.lines,
                    "before": sorted(one.before),
                },
                ensure_ascii=False,
            )
            for address, one in self.facts.items()
        )
        return f'{{\n"release": "{RELEASE}",\n"commit": "{COMMIT}",\n"functions": {{\n{functions}\n}}\n}}\n'

    def save(self) -> None:
        """Writes the file whole."""
        write_whole(self.file, self.text)

    def against(self, wanted: Wanted, pins: PinLock, sources: Evidence) -> tuple[list[BookError], list[str]]:
        """What the wheel's libraries say otherwise of the locked functions, and which they do not have.

        The CPU build and the CUDA build compile a file each in its way. So the code of the build that a
        function is locked by has to say the same of it, that of the other nothing to the contrary.
        """
        libraries = sources.witnesses
        if not isinstance(libraries, Libraries):
            return [], []
        named = {address: pins.pin(address) for address in self.facts if address in wanted}
        here = {address: pin for address, pin in named.items() if not libraries.lacks(pin.address.path)}
        now = derive({address: wanted[address] for address in here}, here, libraries)
        wrong: list[BookError] = []
        for address, pin in here.items():
            build = "CUDA" if cuda_only(pin.address.path) else "CPU"
            locked, found = self.facts[address], now[address]
            same = locked == found if libraries.cuda == (build == "CUDA") else locked.borne_out(found)
            if not same:
                wrong.append(
                    BookError(
                        "calls-changed",
                        f"{address}: the compiled code says otherwise: {_difference(locked, found)}",
                        f"`inside-torch lock` on the {build} build, once the page agrees with it",
                        file=self.file,
                    )
                )
        return wrong, [
            f"{address}: its code is in the CUDA libraries; its calls are not read on this build"
            for address in named
            if address not in here
        ]


def _difference(locked: Facts, now: Facts) -> str:
    """What differs between two facts of one function, in words."""
    told = [
        f"{name}: {locked.callees.get(name)} in the lock, {now.callees.get(name)} now"
        for name in sorted({*locked.callees, *now.callees})
        if locked.callees.get(name) != now.callees.get(name)
    ]
    told += [f"{one} before {other} in the lock only" for one, other in sorted(locked.before - now.before)]
    told += [f"{one} before {other} now only" for one, other in sorted(now.before - locked.before)]
    return "; ".join(told[:6]) or f"{locked.within} in the lock, {now.within} now"


def _kind(how: object) -> str | None:
    if how is not None and how not in KINDS:
        raise ValueError(f"{how!r}, which is none of {', '.join(KINDS)}")
    return str(how) if how is not None else None


def derive(wanted: Wanted, pins: Mapping[str, Pin], libraries: Libraries) -> dict[str, Facts]:
    """The facts of every function that pages show in steps, from the wheel's libraries.

    Raises :class:`BookError` for a function of the CUDA build on a CPU build, whose code says nothing of it.
    """
    from inside_torch.pins.compiled import Code  # numpy and capstone, which nothing else needs

    for address in wanted:
        if libraries.lacks(pins[address].address.path):
            raise BookError(
                "witness-cuda",
                f"the code of {address} is in the CUDA build's libraries, and this is a CPU build",
                f"the CUDA build of torch {RELEASE}",
            )

    with Code(libraries) as code:
        return {
            address: code.facts(pins[address], names, lines) for address, (names, lines) in wanted.items()
        }
