"""Functions by the dozen: gone through by the small Dynamo and by the real one, and compared."""

import random
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from rewritten import Rewritten
from small_dynamo import Unknown
from torch import Tensor, fx

BEGINNING = """
import math
import torch
import torch.nn.functional as F

KEPT = [torch.full((3, 3), 0.5)]


def helper(a, b, times=2):
    if times > 1:
        return a * times - b
    return b


"""


# region writer
FORMS = """{a} + {b}|{a} * n|2 - {a}|{a} @ {b}|-({a})|F.silu({a})|torch.add({a}, {b}, alpha=n)|({a}).tanh()
{a} / math.sqrt({b}.shape[1])|helper({a}, {b})|helper({a}, {b}, times=n)|{a} - ({b}).mean(1, keepdim=True)
torch.maximum({a}, {b}) + len(xs)|KEPT[0] * ({a})|({a}).chunk(3)[1] + {b}|{a} if flag else {b}""".replace(
    "\n", "|"
)
WRITES = "KEPT.append({a})|KEPT.append({b})|xs[0] = {a}|xs[1] = {a}|{b}.sub_({a})|{b}[1] = n|y += {a}"
RESULTS = "{a}|(x, [y, n])|xs|[{a}, {b}]|(flag, len(xs))"
HEADS = "if x.shape[0] > n:|if not flag:|for i in range(n):|for one in xs:"


class Writer:
    """Writes a function of two tensors, a list `xs` of two, a number `n` and a truth `flag`."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.names, self.lines = ["x", "y", "xs[0]", "xs[1]"], ["def f(x, y, xs, n, flag):"]
        for _ in range(self.random.randint(2, 6)):
            self.statement(1)
        self.lines.append(f"    return {self.filled(RESULTS, 0)}")

    def filled(self, forms: str, depth: int) -> str:
        """One of the forms, with a 3×3 tensor for `a` and a name for `b`."""
        name = self.random.choice(self.names)
        inner = f"({self.filled(FORMS, depth - 1)})" if depth else self.random.choice(self.names)
        return self.random.choice(forms.split("|")).format(a=inner, b=name)

    def statement(self, indent: int) -> None:
        """A new name, a write, or a block with statements of its own."""
        kind = self.random.choice(["name", "write", "write", "block"] if indent < 3 else ["name", "write"])
        if kind == "name":
            name = f"v{len(self.lines)}"
            self.lines.append("    " * indent + f"{name} = {self.filled(FORMS, 2)}")
            self.names += [name] * (indent == 1)
        elif kind == "write":
            self.lines.append("    " * indent + self.filled(WRITES, 1))
        else:
            head = self.random.choice(HEADS.split("|"))
            for line in [head, "else:"] if head.startswith("if") else [head]:
                self.lines.append("    " * indent + line)
                self.statement(indent + 1)
                self.statement(indent + 1)


# endregion


@dataclass
class Case:
    """A function, as text, and a number that decides what it is called with."""

    text: str
    seed: int = 0

    def function(self) -> types.FunctionType:
        """The function, in a module of its own."""
        scope: dict[str, Any] = {}
        exec(BEGINNING + self.text, scope)
        return scope["f"]

    def arguments(self) -> list[Any]:
        """What it is called with; in some cases the list holds the same tensors."""
        choose, numbers = random.Random(self.seed), torch.Generator().manual_seed(self.seed)
        x, y, first, second = (torch.rand(3, 3, generator=numbers) for _ in range(4))
        held = [x, y] if choose.random() < 0.2 else [first, second]
        return [x, y, held, choose.randint(1, 4), choose.random() < 0.5]


def generated(count: int) -> list[Case]:
    """So many functions, the same on each run."""
    return [Case("\n".join(Writer(seed).lines), seed) for seed in range(count)]


# region compare
def shape_of(graph: fx.Graph, sources: dict[fx.Node, str]) -> list[Any]:
    """A graph without its names: inputs by their sources, each other node by its place."""
    places = {node: at for at, node in enumerate(graph.nodes)}

    def plain(node: fx.Node) -> Any:
        target = sources[node] if node.op == "placeholder" else node.target
        mapped = fx.map_arg((node.args, node.kwargs), lambda one: f"%{places[one]}")
        return node.op, target, repr(mapped if node.op != "placeholder" else "")

    return [plain(node) for node in graph.nodes]


def by_dynamo(f: types.FunctionType, given: list[Any]) -> tuple[list[Any], Any]:
    """The graphs that Dynamo makes, and what the function that it made returned."""
    graphs = []

    def backend(module: fx.GraphModule, examples: list[Any]) -> Callable[..., Any]:
        inputs = module.graph.find_nodes(op="placeholder")
        sources = {node: node.meta["grapharg"].source.name for node in inputs}
        graphs.append(shape_of(module.graph, sources))
        return module.forward

    torch._dynamo.reset()
    result = torch.compile(f, backend=backend)(*given)
    return graphs, result


def as_it_is(f: types.FunctionType, given: list[Any]) -> tuple[list[Any], Any]:
    """No graph, and what the function returned."""
    return [], f(*given)


def by_us(f: types.FunctionType, given: list[Any]) -> tuple[list[Any], Any]:
    """The graph that the small Dynamo makes, and what the function that it made returned."""
    made = Rewritten(f, *given)
    inputs = made.trace.graph.find_nodes(op="placeholder")
    written = [one.source.replace("F.__globals__", "G") for one in made.inputs]
    graph = shape_of(made.trace.graph, dict(zip(inputs, written, strict=True)))
    return [graph] if len(graph) > 1 + len(inputs) else [], made(*given)


# endregion


# region effects
def everything(f: types.FunctionType, given: list[Any], result: Any) -> Any:
    """What can be seen after a call: the numbers, and which things are the same thing."""
    seen: list[int] = []
    keep: list[Any] = []

    def walk(one: Any) -> Any:
        if isinstance(one, list | tuple):
            keep.append(one)
            if id(one) not in seen:
                seen.append(id(one))
                return type(one).__name__, seen.index(id(one)), [walk(item) for item in one]
            return seen.index(id(one))
        if isinstance(one, Tensor):
            if id(one) not in seen:
                seen.append(id(one))
            return seen.index(id(one)), [round(number, 3) for number in one.flatten().tolist()]
        return one

    return walk([given, f.__globals__["KEPT"], result])


# endregion


@dataclass
class Comparison:
    """What became of a case."""

    graphs_agree: bool
    ours_is_eager: bool
    theirs_is_eager: bool


def compared(case: Case) -> Comparison:
    """A case, run as it is, by the small Dynamo and by the real one."""

    def run(way: Callable[..., Any]) -> tuple[Any, Any]:
        function, given = case.function(), case.arguments()
        try:
            graphs, result = way(function, given)
        except (IndexError, Unknown) as error:
            graphs, result = [type(error).__name__], type(error).__name__
        return graphs, everything(function, given, result)

    (_, eager), (ours, our_effects), (theirs, their_effects) = run(as_it_is), run(by_us), run(by_dynamo)
    return Comparison(ours == theirs, our_effects == eager, their_effects == eager)


if __name__ == "__main__":
    # region main
    cases = generated(12)
    print(cases[4].text)
    found = [compared(case) for case in cases]
    lines = sum(len(case.text.splitlines()) for case in cases)
    print(f"{len(cases)} functions, {lines} lines; equal graphs: {sum(one.graphs_agree for one in found)}")
    print("does what the function does: ours", sum(one.ours_is_eager for one in found), end=", ")
    print("Dynamo's", sum(one.theirs_is_eager for one in found))
    # endregion
