"""The compiled functions of the wheel: which callees each calls, and which of two comes first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import permutations

from inside_torch.errors import BookError
from inside_torch.pins import cpp
from inside_torch.pins.control_flow import Flow, Site, plain_name
from inside_torch.pins.elf import Library, demangle
from inside_torch.pins.facts import Facts, anchor, callee_is
from inside_torch.pins.names import bare, last, shorten
from inside_torch.pins.resolve import Pin
from inside_torch.pins.witness import Libraries


class Code:
    """The compiled functions of the wheel."""

    def __init__(self, libraries: Libraries) -> None:
        self.libraries = [Library(path) for path in libraries.present]
        self._vtables: dict[str, list[dict[int, str]]] = {}

    def close(self) -> None:
        for library in self.libraries:
            library.close()

    def __enter__(self) -> Code:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def flows(self, pin: Pin) -> tuple[str, list[tuple[Flow, list[Flow]]]]:
        """The function that holds a pin's code: its name, and for each instantiation of it (one, unless it is
        a template) the flow of its code and those of its lambdas.

        Raises :class:`BookError` where no function, or more than one, can be meant.
        """
        name, parameters = cpp.split(pin.address.symbol or "")
        holders = {bare(w.within) for w in pin.witnesses if w.within and last(bare(w.within)) != last(name)}
        for wanted in (name, *sorted(holders)):
            token = last(wanted).encode()
            # A name of C is not mangled.
            tokens = [b"%d%s" % (len(token), token), *([] if "::" in wanted else [token])]
            for library in self.libraries:
                functions = library.functions_holding(tokens)
                own = [each for each in functions if f"::{plain_name(each[2])}".endswith(f"::{wanted}")]
                own = _meant(own, pin, parameters if wanted == name else None)
                mains = {each[0]: each for each in own if ".cold" not in each[2]}
                if not mains:
                    continue
                if len({_signature(each) for each in mains.values()}) > 1:
                    raise BookError(
                        "calls-ambiguous",
                        f"{pin.address} names {len(mains)} functions of {library.path.name}",
                        "more of the name, or parameter types",
                        "\n".join(sorted(_signature(each) for each in mains.values())[:8]),
                    )
                found = []
                for main in mains.values():
                    cold = [each for each in own if each[2].startswith(f"{main[2]}.cold")]
                    flow = Flow(library, [each[:2] for each in (main, *cold)])
                    prefix = f"{plain_name(main[2])}::{{lambda"
                    inner = [each for each in functions if prefix in plain_name(each[2])]
                    found.append((flow, [Flow(library, [each[:2]]) for each in inner]))
                return plain_name(next(iter(mains.values()))[2]), found
        raise BookError(
            "calls-unknown",
            f"no library has a function {pin.address.symbol!r}",
            "a function that is compiled, by itself or into one that its assertions name",
        )

    def facts(self, pin: Pin, names: Collection[str], lines: Collection[int]) -> Facts:
        """What the code says of these callees and these assertions; of a template, what all of it says."""
        try:
            within, flows = self.flows(pin)
        except BookError as error:
            if error.rule != "calls-unknown":
                raise
            return Facts("", dict.fromkeys(sorted(names)), lines=tuple(sorted(lines)))
        each = [self._facts(flow, inner, within, pin, names, lines) for flow, inner in flows]
        callees = {
            name: None if any(one.callees[name] is None for one in each) else each[0].callees[name]
            for name in sorted(names)
        }
        before = frozenset.intersection(*(one.before for one in each))
        return Facts(within, callees, before, tuple(sorted(lines)))

    def _facts(
        self,
        flow: Flow,
        inner: Sequence[Flow],
        within: str,
        pin: Pin,
        names: Collection[str],
        lines: Collection[int],
    ) -> Facts:
        places: dict[str, list[int]] = {}
        callees: dict[str, str | None] = {}
        for name in names:
            callees[name], places[name] = self._find(flow, inner, name, within)
        for address, site in flow.sites.items():
            if site.kind == "check" and site.name == pin.address.path and site.number in lines:
                places.setdefault(anchor(site.number), []).append(address)
        before = {
            (one, other)
            for one, other in permutations(sorted(places), 2)
            if places[one] and places[other] and _comes(flow, places[one], places[other])
        }
        return Facts(within, callees, frozenset(before), tuple(sorted(lines)))

    def _find(
        self, flow: Flow, inner: Iterable[Flow], name: str, within: str
    ) -> tuple[str | None, list[int]]:
        """How a callee is found and where, best first."""
        sites = flow.sites
        if found := [a for a, site in sites.items() if site.kind == "call" and _calls(site, name)]:
            return "call", found
        checks = {a: s for a, s in sites.items() if s.kind == "check" and s.function == last(name)}
        if checks and last(name) != last(within):
            return "inlined", list(checks)
        if found := self._virtual(flow, name, within):
            # Other classes have functions at that offset too: of several calls nobody knows which is meant.
            return "virtual", found if len(found) == 1 else []
        if found := [a for a, site in sites.items() if site.kind == "address" and _calls(site, name)]:
            return "address", found
        if any(s.kind == "call" and _calls(s, name) for one in inner for s in one.sites.values()):
            return "lambda", []
        return None, []

    def _virtual(self, flow: Flow, name: str, within: str) -> list[int]:
        """The calls through a slot at which a table of the callee's class, or of the caller's, has it."""
        scope = name.rpartition("::")[0] or within.rpartition("::")[0]
        offsets = {
            offset
            for table in self._tables(last(scope))
            for offset, function in table.items()
            if last(function) == last(name)
        }
        return [a for a, site in flow.sites.items() if site.kind == "slot" and site.number in offsets]

    def _tables(self, name: str) -> list[dict[int, str]]:
        """The tables of virtual functions of the classes of a name: byte offset of a slot to its function."""
        if name not in self._vtables:
            token = b"%d%sE" % (len(name), name.encode())
            self._vtables[name] = found = []
            for library in self.libraries:
                for mangled, (start, size) in library.vtables([token]).items():
                    if mangled.endswith(token.decode()):
                        # The first two slots tell of the class: what follows is what a call counts from.
                        slots = library.pointers(start, size).items()
                        found.append({slot - start - 16: plain_name(function) for slot, function in slots})
        return self._vtables[name]


def _calls(site: Site, name: str) -> bool:
    return callee_is(site.name, name)


def _plain_type(kind: str) -> str:
    """A type with nothing but its name; ``Variable`` is another name of ``Tensor``."""
    return re.sub(r"<.*>|\bconst\b|\b\w+::|\s", "", kind).replace("Variable", "Tensor")


def _signature(function: tuple[int, int, str]) -> str:
    return shorten(demangle(re.sub(r"\.cold.*$", "", function[2])))


def _meant(
    functions: list[tuple[int, int, str]], pin: Pin, parameters: tuple[str, ...] | None
) -> list[tuple[int, int, str]]:
    """Those of the parameter types, or else of the pin's witnesses, where either tells."""
    within = {witness.within for witness in pin.witnesses}
    told = []
    if parameters is not None:
        plain = [_plain_type(one) for one in parameters]
        told = [
            each
            for each in functions
            if [_plain_type(one) for one in cpp.split(_signature(each))[1] or ()] == plain
        ]
    return told or [each for each in functions if _signature(each) in within] or functions


def _comes(flow: Flow, first: Collection[int], second: Collection[int]) -> bool:
    """Whether each of the second places has one of the first before it, and none has one after it."""
    return all(any(flow.precedes(one, other) for one in first) for other in second) and not any(
        flow.precedes(other, one) for one in first for other in second
    )
