"""The verb op: an operator, from its name to its kernels."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from inside_torch.cli import ROOT, RootOption
from inside_torch.errors import BookError

if TYPE_CHECKING:
    from inside_torch.operators.catalogue import Operator
    from inside_torch.pins.wheel import Wheel

WIDTH = 80
out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)


def op(
    name: Annotated[str, typer.Argument(metavar="NAME", help="add.Tensor, add_.Tensor, add.out, linear, …")],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for tools.")] = False,
    root: RootOption = ROOT,
) -> None:
    """Print what the installed wheel says of an operator: from its name to its kernels.

    Schema, kernels by dispatch key, derivative and generated C++ names, with the address of each entry and
    the articles that explain it. The names are what torchgen, the generator in the wheel, would write; the
    symbol tables of the wheel's libraries say which of them are there. torch is read, never imported.

    What stands at a generated name:

      a library        it is a function of its own there, so that gdb can stop in it

      inlined          it has been inlined: other symbols hold its name

      not in the binary   this build has none, such as the kernels of other devices

    A name without its overload, such as add, lists the overloads, unless one of them has just this name.

    Examples:

      inside-torch op add.Tensor

      inside-torch op aten::linear

      inside-torch op add_.Tensor --json
    """
    from inside_torch.operators.catalogue import Catalogue
    from inside_torch.pins.wheel import Wheel

    wheel = Wheel.find()
    found = Catalogue(wheel).find(name)
    if isinstance(found, list):
        if as_json:
            print(json.dumps({"overloads": [{"name": one.name, "schema": one.schema} for one in found]}))
            return
        out.print(f"{name} has {len(found)} overloads and none without a name; say which:")
        longest = max(len(one.name) for one in found)
        for one in found:
            out.print(Text(f"  {one.name:<{longest}}", style="bold").append(f"  {one.schema}", style="dim"))
        return
    facts = _facts(found, wheel, root)
    if as_json:
        print(json.dumps(facts, indent=2, ensure_ascii=False))
    else:
        _show(facts)


def _facts(operator: Operator, wheel: Wheel, root: Path) -> dict[str, Any]:
    """All that is known of the operator, in the form that --json prints."""
    from inside_torch.book.whole_book import Book
    from inside_torch.operators.generated import symbols
    from inside_torch.operators.places import headers, mentions, places
    from inside_torch.pins.resolve import Evidence
    from inside_torch.pins.witness import Libraries

    pins = places(operator, Evidence(wheel))
    unsearched = ""
    try:
        held = [asdict(one) for one in symbols(operator, Libraries(wheel.libraries))]
    except BookError as error:
        if error.rule != "witness-platform":
            raise
        held, unsearched = [], error.found
    return {
        "name": operator.name,
        "schema": operator.schema,
        "variants": operator.variants,
        "python": operator.python,
        "tags": operator.tags,
        "entry": operator.entry,
        "generated": operator.generated,
        "structured": operator.structured,
        "ufunc_inner_loop": operator.ufunc,
        "view": operator.view,
        "group": operator.family,
        "overloads": operator.overloads,
        "dispatch": [asdict(kernel) for kernel in operator.kernels],
        "derivatives": [asdict(derivative) for derivative in operator.derivatives],
        "symbols": held,
        "symbols_unsearched": unsearched,
        "headers": headers(operator, wheel),
        "places": [
            {"address": str(pin.address), "lines": pin.lines, "link": pin.permalink or None} for pin in pins
        ],
        "articles": [asdict(one) for one in mentions(operator, pins, Book.load(root))],
    }


def _show(facts: dict[str, Any]) -> None:
    held = {one["name"].replace("(anonymous namespace)::", ""): one for one in facts["symbols"]}

    _head(facts["name"])
    _row("schema", facts["schema"])
    _row("variants", ", ".join(facts["variants"]))
    _row("Python", ", ".join(facts["python"]) or "no binding is generated")
    _row("tags", ", ".join(facts["tags"]) or "none")
    _row("made from", _kind(facts))
    for kind, name in facts["group"].items():
        _row(kind, name)

    _head("Kernels by dispatch key")
    if held:
        _wrapped(
            "[library]: a function there, where gdb can stop; [inlined]: no function of its own; "
            "[not in the binary]: not in this build",
            indent="  ",
        )
    for kernel in facts["dispatch"]:
        out.print(Text(f"  {kernel['key']}", style="cyan"))
        registered = kernel["registered"]
        _line(kernel["kernel"] or "(the registered function does it)", held.get(kernel["kernel"]))
        _line(f"registered through {registered}", held.get(f"at::{registered}"))
        out.print(f"    because of {kernel['origin']}", style="dim")
    if not facts["dispatch"]:
        out.print("  none that torchgen registers; it is written by hand")

    _head("Derivative")
    for one in facts["derivatives"]:
        key = "" if one["key"] == "Default" else f" for {one['key']}"
        node = f"node {one['node']}" if one["node"] else "no node"
        out.print(Text(f"  {node}{key}", style="green").append(f", by the entry {one['entry']}", style="dim"))
        for of, formula in one["formulas"].items():
            # The formulas of derivatives.yaml for forward mode are those of the results.
            forward = " (forward mode)" if of.startswith("result") else ""
            _wrapped(f"{of}{forward}: {formula}")
    keys = [kernel["key"] for kernel in facts["dispatch"]]
    if not facts["derivatives"]:
        _wrapped(_no_derivative(facts))
    elif "CompositeImplicitAutograd" in keys:
        backends = ", ".join(key for key in keys if not key.startswith("Composite"))
        _wrapped(
            "Recorded for backends with a kernel of their own"
            + (f" ({backends})" if backends else "")
            + ". For all others CompositeImplicitAutograd comes before Autograd, and the nodes are those of "
            "the operators that it calls.",
            indent="  ",
        )

    _head("Generated around them")
    kernels = {kernel["kernel"] for kernel in facts["dispatch"]}
    around = [
        one for plain, one in held.items() if plain not in kernels and not plain.startswith("at::wrapper_")
    ]
    for one in (one for one in around if one["presence"] != "absent"):
        out.print(Text(f"  {one['role']}", style="cyan"))
        _line(one["name"], one)
    if absent := [one for one in around if one["presence"] == "absent"]:
        out.print(Text("  not in the binary", style="cyan"))
        for one in absent:
            out.print(Text(f"    {one['name']}").append(f"  ({one['role']})", style="dim"))
    if facts["symbols_unsearched"]:
        _wrapped(f"symbol tables not searched: {facts['symbols_unsearched']}")

    _head("Generated headers")
    for header in facts["headers"]:
        out.print(f"  {header}")

    _head("Addresses")
    for place in facts["places"]:
        out.print(Text(f"  {place['address']}"))
        out.print(f"    {place['link'] or place['lines'] + ', generated: in no repository'}", style="dim")

    _head("In the book")
    for one in facts["articles"]:
        out.print(Text(f"  {one['article']}").append(f"  ({one['file']}:{one['line']})", style="dim"))
        for address in one["addresses"]:
            out.print(Text(f"    {address}", style="dim"))
    if not facts["articles"]:
        out.print("  no page pins any of these places")

    if facts["overloads"]:
        _head("Other overloads")
        _wrapped(", ".join(facts["overloads"]), indent="  ")


def _kind(facts: dict[str, Any]) -> str:
    if facts["generated"]:
        kind = f"autogen of {facts['entry']}: torchgen writes it, and has no entry for it"
    elif facts["structured"] == facts["name"]:
        kind = "structured: this one has the kernel, its group's others call it"
    elif facts["structured"]:
        kind = f"structured_delegate {facts['structured']}, which has the kernel"
    else:
        kind = "an entry of its own, with no structured kernel"
    loops = "; ".join(f"{key}: {loop}" for key, loop in facts["ufunc_inner_loop"].items())
    kind += f"; ufunc_inner_loop {loops}" if loops else ""
    return kind + ("; a view: its result shares the memory of an argument" if facts["view"] else "")


def _no_derivative(facts: dict[str, Any]) -> str:
    if any(kernel["key"] == "CompositeImplicitAutograd" for kernel in facts["dispatch"]):
        return "none of its own: it is made of operators that have theirs (CompositeImplicitAutograd)"
    if "out" in facts["tags"]:
        return "none: an out= operator refuses where a gradient would be needed"
    return "none in derivatives.yaml"


def _head(title: str) -> None:
    out.print(Text(f"\n{title}", style="bold"))


def _row(label: str, value: str) -> None:
    lines = textwrap.wrap(value, WIDTH - 14, break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines):
        out.print(Text(f"  {label if not number else '':<12}", style="dim").append(line, style="default"))


def _wrapped(text: str, indent: str = "    ") -> None:
    for line in textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False
    ):
        out.print(Text(line))


def _line(text: str, symbol: dict[str, Any] | None) -> None:
    """A name, and what the symbol tables say of it where they have been asked."""
    said = Text(f"    {text}")
    if symbol is not None:
        presence = {"function": symbol["library"], "inlined": "inlined", "absent": "not in the binary"}
        style = "yellow" if symbol["presence"] == "absent" else "dim"
        said.append(f"  [{presence[symbol['presence']]}]", style=style)
    out.print(said)


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command()(op)
