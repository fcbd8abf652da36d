"""What this article says of breaks, gone through: their causes, their places, and what runs around them."""

import contextlib
import io
import itertools
import json
import textwrap
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import CodeType, SimpleNamespace
from typing import Any

import torch
import torch._dynamo as dynamo
from causes import CAUSES, Cause, branch, graphs_and_kinds, plain
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from three_ways import compiled
from torch import Tensor
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._dynamo.exc import Unsupported, UserError, format_graph_break_message


def causes() -> dict[str, Cause]:
    """The common causes, each with its cure."""
    return CAUSES


@counted(causes, planted=lambda: Cause(branch, branch, "nothing"), minimum=20)
def cause_splits_and_cure_does_not(cause: Cause) -> bool:
    """The function leaves two graphs, its cure one, and both return what the function does in eager."""
    broken, before, _ = graphs_and_kinds(cause.broken)
    cured, after, _ = graphs_and_kinds(cause.cured, **cause.settings)
    torch.manual_seed(0)
    eager = cause.broken(torch.tensor([1.0, 2.0], device="cpu"))
    return (before, after) == (2, 1) and torch.equal(broken, eager) and torch.equal(cured, eager)


def raises(function: Callable, **settings: Any) -> bool:
    """Whether the function cannot be compiled with `fullgraph=True`."""
    try:
        with dynamo.config.patch(**settings):
            compiled(function, torch.tensor([1.0, 2.0], device="cpu"), fullgraph=True)
    except (Unsupported, UserError):
        return True
    return False


@counted(
    causes,
    planted=lambda: Cause(plain, plain, "nothing to cure"),
    minimum=20,
    exceptions="With `fullgraph=True` a number or a size that hangs on data is captured.",
)
def cause_raises_with_fullgraph(cause: Cause) -> bool:
    """With `fullgraph=True` the function raises and its cure does not."""
    return raises(cause.broken) and not raises(cause.cured, **cause.settings)


def registered_kinds() -> dict[str, str]:
    """The first line of the message of each kind of break that the registry lists, newest name first."""
    file = Path(dynamo.__file__).with_name("graph_break_registry.json")
    return {number: entries[0]["Gb_type"] for number, entries in json.loads(file.read_text()).items()}


@counted(registered_kinds, planted=lambda: "A kind that is made up", minimum=500)
def kind_has_a_page(kind: str) -> bool:
    """A message of a registered kind begins with the kind and ends with the address of its page."""
    lines = format_graph_break_message(kind, "", "", []).splitlines()
    return lines[0] == kind and "compile-graph-break-site" in lines[-1]


# Programs of a few statements, as text: an operation, a break, a note that is kept, and blocks of these.


class Mine:
    """A context manager of the user's."""

    def __enter__(self) -> "Mine":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""


@contextmanager
def generated():
    """One that a generator makes."""
    yield


LINES = {
    "op": "x = x.sin()",
    "break": "graph_break()",
    "note": "seen.append(len(seen)); box.count += 1; x.mul_(2)",
}
HEADS = {
    "open": "if True:",
    "no_grad": "with torch.no_grad():",
    "size": "if len(x) > 1:",
    "loop": "for _ in range(2):",
    "try": "try:",
    "class": "with Mine():",
    "generator": "with generated():",
}


def text_of(steps: list) -> str:
    """The statements, one to a line."""
    lines = []
    for step in steps:
        if isinstance(step, str):
            lines.append(LINES[step])
            continue
        kind, body = step
        lines += [HEADS[kind], textwrap.indent(text_of(body) or "pass", "    ")]
        if kind == "try":
            lines += ["finally:", "    pass"]
    return "\n".join(lines)


def made(steps: list) -> Callable:
    """A function of a tensor, a list and an object that runs the statements."""
    body = textwrap.indent(text_of(steps), "    ")
    scope = {"torch": torch, "graph_break": dynamo.graph_break, "Mine": Mine, "generated": generated}
    exec(f"def function(x, seen, box):\n    x = x.clone()\n{body}\n    return x", scope)
    return scope["function"]


def straight_lines() -> dict[str, str]:
    """Operations and breaks in any order, up to four of them."""
    orders = (order for length in range(1, 5) for order in itertools.product("ob", repeat=length))
    return {"".join(order): "".join(order) for order in orders}


@counted(straight_lines, planted="oL", minimum=30)
def straight_line_leaves_a_graph_a_run(order: str) -> bool:
    """Of operations and breaks in a row, each run of operations is one graph."""
    lines = {"o": "x = x.sin()", "b": "graph_break()", "L": "for _ in range(2): graph_break()"}
    body = "\n    ".join(lines[letter] for letter in order)
    scope = {"graph_break": dynamo.graph_break}
    exec(f"def function(x):\n    {body}\n    return x", scope)
    _, graphs = compiled(scope["function"], torch.ones(2, device="cpu"))
    return [len(graph) for graph in graphs] == [len(run) for run in order.replace("L", "b").split("b") if run]


PLACES = {  # the graphs that a break in such a block leaves: after one operation in the frame, and after more
    "open": (2, 2),
    "no_grad": (2, 2),
    "size": (2, 2),
    "loop": (0, 0),
    "try": (0, 1),
    "class": (0, 1),
    "generator": (0, 1),
}


def places() -> dict[str, tuple[str, int, int]]:
    """A block, how many operations come before it, and how many graphs there are to be."""
    return {
        f"{kind}, {before} before": (kind, before, PLACES[kind][before > 1])
        for kind in PLACES
        for before in range(1, 4)
    }


@counted(places, planted=lambda: ("loop", 1, 2), minimum=20)
def place_decides(case: tuple[str, int, int]) -> bool:
    """In the open a break splits; a loop leaves none; a try or your with what came before, if two calls."""
    kind, before, expected = case
    steps = ["op"] * (before - 1) + [[kind, ["op", "break", "op"]], "op"]  # the copy is an operation as well
    x, box = torch.ones(3, device="cpu"), SimpleNamespace(count=0)
    return len(compiled(made(steps), x, [], box)[1]) == expected


class Thing:
    """Breaks where no call is seen."""

    @property
    def part(self) -> int:
        """A property that breaks."""
        dynamo.graph_break()
        return 1

    def __add__(self, other: int) -> int:
        dynamo.graph_break()
        return other

    def __bool__(self) -> bool:
        dynamo.graph_break()
        return True

    def __delitem__(self, key: int) -> None:
        dynamo.graph_break()


def unwrapped() -> dict[str, tuple[str, int]]:
    """A statement that breaks where no instruction is wrapped, and how many operations come before it."""
    statements = {
        "not": "flag = not x.sum()",
        "lock": "with lock: pass",
        "for": "for _ in file: pass",
        "in": "flag = 'a' in file",
        "property": "flag = thing.part",
        "operator": "flag = thing + 1",
        "truth": "if thing: pass",
        "del": "del thing[0]",
    }
    return {
        f"{name}, {before} before": (text, before)
        for name, text in statements.items()
        for before in range(1, 4)
    }


@counted(unwrapped, planted=lambda: ("graph_break()", 1), minimum=24)
def unwrapped_is_not_resumed(case: tuple[str, int]) -> bool:
    """A break at an instruction that is not wrapped leaves no graph, or one if two operations came before."""
    text, before = case
    body = "\n    ".join(["x = x.sin()"] * before + [text, "x = x.cos()"])
    scope = {"lock": Lock(), "file": io.StringIO(), "thing": Thing(), "graph_break": dynamo.graph_break}
    exec(f"def function(x):\n    {body}\n    return x", scope)
    graphs = compiled(scope["function"], torch.ones(2, device="cpu"))[1]
    return [len(graph) for graph in graphs] == ([before] if before > 1 else [])


def named_contexts() -> dict[str, str]:
    """Contexts that Dynamo has a variable of its own for, as text."""
    return {
        "no_grad": "torch.no_grad()",
        "inference_mode": "torch.inference_mode()",
        "set_grad_enabled": "torch.set_grad_enabled(False)",
        "autocast": "torch.autocast('cpu')",
        "nullcontext": "contextlib.nullcontext()",
        "record_function": "torch.profiler.record_function('a')",
        "sdpa_kernel": "torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)",
        "DisableTorchFunctionSubclass": "torch._C.DisableTorchFunctionSubclass()",
        "disable_saved_tensors_hooks": "torch.autograd.graph.disable_saved_tensors_hooks('m')",
        "error_on_graph_break": "torch._dynamo.error_on_graph_break(False)",
        "catch_warnings": "warnings.catch_warnings()",
        "dual_level": "torch.autograd.forward_ad.dual_level()",
        "annotate": "torch.fx.traceback.annotate({'a': 1})",
        "_set_fwd_grad_enabled": "torch.autograd.forward_ad._set_fwd_grad_enabled(False)",
        "_unsafe_preserve_version_counter": "torch.autograd._unsafe_preserve_version_counter(x)",
    }


@counted(
    named_contexts,
    planted="Mine()",
    minimum=15,
    exceptions="Dynamo has no code that makes these contexts again for the resume function.",
)
def named_context_is_resumed(context: str) -> bool:
    """A break in a context that Dynamo knows by name leaves two graphs."""
    scope = {"torch": torch, "graph_break": dynamo.graph_break, "Mine": Mine}
    scope |= {"contextlib": contextlib, "warnings": warnings}
    lines = f"with {context}:\n        x = x.cos()\n        graph_break()\n        x = x.tan()"
    exec(f"def function(x):\n    x = x.sin().cos()\n    {lines}\n    return x.exp()", scope)
    return len(compiled(scope["function"], torch.ones(2, device="cpu"))[1]) == 2


def steps_of(depth: int) -> st.SearchStrategy:
    """Statements, with blocks in blocks."""
    lines = st.sampled_from(sorted(LINES))
    if not depth:
        return st.lists(lines, min_size=1, max_size=3)
    block = st.tuples(st.sampled_from(sorted(HEADS)), steps_of(depth - 1)).map(list)
    return st.lists(st.one_of(lines, block), min_size=1, max_size=4)


def kept_no_grad(x: Tensor, seen: list, box: SimpleNamespace) -> Tensor:
    """Holds a `no_grad` over a break, and never enters it."""
    kept = torch.no_grad()
    dynamo.graph_break()
    box.kept = kept is None
    return x.sin()


with_a_break = steps_of(2).filter(lambda steps: "graph_break" in text_of(steps))


@counted(cases(with_a_break, count=60), planted=lambda: kept_no_grad, timeout=240)
def broken_program_is_as_eager(steps: Any) -> bool:
    """Compiled, a generated program with breaks has the values, side effects and grad mode of eager."""
    function = steps if callable(steps) else made(steps)
    outcomes = []
    for run in function, lambda *arguments: compiled(function, *arguments)[0]:
        x, seen, box = torch.ones(3, requires_grad=True, device="cpu"), [], SimpleNamespace(count=0)
        result = run(x, seen, box)
        outcomes.append((result.tolist(), result.requires_grad, seen, box.count, torch.is_grad_enabled()))
        torch.set_grad_enabled(True)
    return outcomes[0] == outcomes[1]


def nested(depth: int, after: bool) -> Callable:
    """A function that breaks so many calls below it; each level has an operation before, or on both sides."""

    def innermost(x: Tensor) -> Tensor:
        x = x.sin()
        dynamo.graph_break()
        return x.cos() if after else x

    function = innermost
    for _ in range(depth):
        function = partial_call(function, after)
    return function


def partial_call(inner: Callable, after: bool) -> Callable:
    """One level: its own code object, so that the levels are not taken for a recursion."""
    scope = {"inner": inner}
    exec(f"def outer(x):\n    x = inner(x.exp())\n    return {'x.neg()' if after else 'x'}", scope)
    return scope["outer"]


def depths() -> dict[str, tuple[int, bool]]:
    """How deep the break is."""
    return {str(depth): (depth, True) for depth in range(7)}


@counted(depths, planted=lambda: (2, False), minimum=7)
def each_frame_breaks(case: tuple[int, bool]) -> bool:
    """A break so many calls deep leaves two graphs for each frame; with `nested_graph_breaks` two in all."""
    depth, after = case
    x = torch.ones(2, device="cpu")
    separate = compiled(nested(depth, after), x)[1]
    with dynamo.config.patch(nested_graph_breaks=True):
        together = compiled(nested(depth, after), x)[1]
    return (len(separate), len(together)) == (2 * (depth + 1), 2)


def read_later() -> dict[str, str]:
    """The locals that are read after a break."""
    return {
        "".join(names) or "none": "".join(names)
        for n in range(5)
        for names in itertools.combinations("abcd", n)
    }


@counted(read_later, planted="e", minimum=16)
def resume_takes_what_is_read(names: str) -> bool:
    """A resume function's own parameters are the locals that are read after the break, and no others."""
    body = "a, b, c, d = x + 1, x + 2, 3, [x]; e = a; e = lambda: e; graph_break()"
    scope = {"graph_break": dynamo.graph_break, "torch": torch}
    exec(f"def function(x):\n    {body}\n    return [{', '.join(names)}], torch.ones(1)", scope)
    codes: list[CodeType] = []
    hook = register_bytecode_hook(lambda old, new: codes.append(old))
    try:
        compiled(scope["function"], torch.ones(2, device="cpu"))
    finally:
        hook.remove()
    resumed = [code for code in codes if "resume_in" in code.co_name]
    assert all("lambda" in str(code.co_consts) for code in resumed)  # the beginning is still in it
    taken = [code.co_varnames[: code.co_argcount] for code in resumed]
    return [sorted(name for name in one if name[0] != "_") for one in taken] == [sorted(names)]
