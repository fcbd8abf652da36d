"""What this article says of all instructions, functions, sources, methods and values, gone through."""

import dis
import inspect
import sys
import types
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import torch
from inside_torch.claims import cases, counted
from torch import fx
from torch._dynamo import source, trace_rules
from torch._dynamo.source import Source
from torch._dynamo.symbolic_convert import InliningGeneratorInstructionTranslator
from torch._dynamo.testing import CompileCounter
from torch._dynamo.variables import TorchInGraphFunctionVariable

sys.path.insert(0, str(Path(__file__).parent))
from generated import Case, Comparison, compared, generated
from hypothesis import strategies as some


def instructions() -> list[str]:
    """The instructions of this Python, by name."""
    return sorted(dis.opmap)


@counted(
    instructions,
    planted="NO_SUCH_INSTRUCTION",
    minimum=90,
    exceptions="Five are rewritten before; the others are of asynchronous code, class bodies and del.",
)
def instruction_has_a_method(name: str) -> bool:
    """An instruction of Python has a method of its name in one of the translators."""
    return hasattr(InliningGeneratorInstructionTranslator, name)


def of_torch() -> dict[str, Callable[..., Any]]:
    """The functions that torch and torch.nn.functional have, without a leading line."""
    return {
        f"{home.__name__}.{name}": function
        for home in (torch, torch.nn.functional)
        for name, function in vars(home).items()
        if isinstance(function, types.FunctionType | types.BuiltinFunctionType) and name[0] != "_"
    }


@counted(
    of_torch,
    planted=lambda: of_torch,
    minimum=700,
    exceptions="Some are gone through like a function of yours, others break the graph.",
)
def torch_is_not_entered(function: Callable[..., Any]) -> bool:
    """For Dynamo a function of torch is one that goes into the graph as it is called, or is folded."""
    return trace_rules.lookup(function) is TorchInGraphFunctionVariable


def sources() -> dict[str, type]:
    """The classes of sources."""
    return {
        name: kind
        for name, kind in vars(source).items()
        if isinstance(kind, type) and issubclass(kind, Source) and kind.__module__ == source.__name__
    }


@counted(sources, planted=lambda: Source, minimum=50, exceptions="What is only checked, or found otherwise.")
def source_is_written(kind: type[Source]) -> bool:
    """A class of sources says how it is written as bytecode."""
    own = kind.reconstruct is not Source.reconstruct
    return own and "raise NotImplementedError" not in inspect.getsource(kind.reconstruct)


def functions() -> dict[str, Case]:
    """Functions that are generated, each with arguments; each of the three lessons shows in one."""
    return {str(case.seed): case for case in generated(60)}


@cache
def comparison(text: str, seed: int) -> Comparison:
    """What became of a function, run as it is and by the two Dynamos."""
    return compared(Case(text, seed))


def that_asks_for_none() -> Case:
    """A function that Dynamo knows and the small one does not."""
    return Case("def f(x, y, xs, n, flag):\n    return x * n if y is not None else x")


def that_raises() -> Case:
    """A function that appends, and then raises."""
    return Case("def f(x, y, xs, n, flag):\n    KEPT.append(x * n)\n    return x[(y * 0).long() + 9]")


@counted(functions, planted=that_asks_for_none, minimum=60)
def graphs_are_equal(case: Case) -> bool:
    """The small Dynamo and the real one make the same graph of a generated function."""
    return comparison(case.text, case.seed).graphs_agree


@counted(functions, planted=that_raises, minimum=60)
def effects_are_as_eager(case: Case) -> bool:
    """What Dynamo makes of a generated function returns and leaves what the function does."""
    return comparison(case.text, case.seed).theirs_is_eager


@counted(functions, planted=that_raises, minimum=60)
def small_effects_are_as_eager(case: Case) -> bool:
    """What the small Dynamo makes of a generated function returns and leaves what the function does."""
    return comparison(case.text, case.seed).ours_is_eager


@cache
def collected(seed: int) -> list[fx.Node]:
    """The nodes that Dynamo collects; of an input, its source, and whether that finds it."""
    nodes: list[fx.Node] = []
    case = generated(seed + 1)[seed]
    function, given = case.function(), case.arguments()
    names = function.__code__.co_varnames
    scope = {"L": dict(zip(names, given, strict=False)), "G": dict(function.__globals__)}

    def backend(module: fx.GraphModule, examples: list[Any]) -> Callable[..., Any]:
        nodes.extend(module.graph.nodes)
        for node, example in zip(module.graph.find_nodes(op="placeholder"), examples, strict=True):
            source = node.meta["grapharg"].source.name
            node.meta["source"] = source, example is eval(source, scope)
        return module.forward

    torch._dynamo.reset()
    torch.compile(function, backend=backend)(*given)
    return nodes


def all_collected() -> dict[str, list[fx.Node]]:
    """The nodes that Dynamo collects of the first thirty functions."""
    return {str(seed): collected(seed) for seed in range(30)}


def of_another_tensor() -> list[fx.Node]:
    """A node whose tensor was there."""
    node = fx.Graph().placeholder("x")
    node.meta["example_value"] = torch.ones(1)
    return [node]


@counted(all_collected, planted=of_another_tensor, minimum=30)
def tensors_are_fake(nodes: list[fx.Node]) -> bool:
    """No node that Dynamo collects of a generated function was given a tensor with numbers."""
    values = [node.meta["example_value"] for node in nodes if "example_value" in node.meta]
    tensors = [one for one in values if isinstance(one, torch.Tensor)]
    return all(isinstance(one, torch._subclasses.FakeTensor) for one in tensors)


@cache
def all_inputs() -> dict[str, bool]:
    """The inputs of those graphs, by function and source, and whether the source finds the tensor."""
    found = {}
    for seed in range(30):
        for node in collected(seed):
            if node.op == "placeholder":
                source, is_found = node.meta["source"]
                found[f"{seed} {source}"] = is_found
    return found


@counted(all_inputs, planted=False, minimum=60)
def source_finds_the_input(is_found: bool) -> bool:
    """The source of an input is an expression that finds, in locals and globals, what is handed in."""
    return is_found


LITERAL = some.one_of(
    some.integers(-(2**40), 2**40), some.booleans(), some.text(max_size=3), some.floats(-8, 8, width=16)
)
PAIRS = some.tuples(LITERAL, LITERAL)


def handed_through(x: torch.Tensor, value: Any) -> Any:
    """Returns a value."""
    return x * 2, value


def ahead(x: torch.Tensor, value: Any) -> Any:
    """Returns a value before the tensor."""
    return value, x * 2


@counted(
    cases(some.tuples(some.just(handed_through.__name__), PAIRS), count=50),
    planted=("ahead", (True, False)),
    minimum=50,
)
def returned_is_no_condition(case: tuple[str, tuple[Any, Any]]) -> bool:
    """A function that returns a tensor, then an int, float, truth or text, is compiled once for any two."""
    name, values = case
    torch._dynamo.reset()
    counter = CompileCounter()
    compiled = torch.compile(globals()[name], backend=counter)
    results = [compiled(torch.ones(1), value)[name == handed_through.__name__] for value in values]
    return counter.frame_count == 1 and results == list(values)


KINDS: dict[str, tuple[Callable[[], Any], dict[str, tuple[Any, ...]]]] = {
    "list": (
        lambda: [3, 1, 2],
        {
            "append": (4,), "extend": ([4, 5],), "insert": (0, 4), "pop": (), "remove": (1,), "clear": (),
            "reverse": (), "sort": (), "__setitem__": (0, 4), "__delitem__": (0,), "__iadd__": ([4],),
            "__imul__": (2,),
        },
    ),
    "dict": (
        lambda: {"a": 1, "b": 2},
        {
            "__setitem__": ("c", 3), "__delitem__": ("a",), "pop": ("a",), "popitem": (), "clear": (),
            "update": ({"c": 3},), "setdefault": ("c", 3), "__ior__": ({"c": 3},),
        },
    ),
    "set": (
        lambda: {1, 2},
        {
            "add": (3,), "remove": (1,), "discard": (1,), "clear": (), "update": ({3},), "pop": (),
            "difference_update": ({1},), "intersection_update": ({1},), "__ior__": ({3},), "__iand__": ({1},),
            "symmetric_difference_update": ({1, 3},), "__isub__": ({1},), "__ixor__": ({1, 3},),
        },
    ),
}  # fmt: skip


def writing_methods() -> dict[str, tuple[str, str]]:
    """The methods that change a list, a dict or a set."""
    return {f"{kind}.{name}": (kind, name) for kind, (_, calls) in KINDS.items() for name in calls}


def by_a_kind_unknown() -> tuple[str, str]:
    """An array of Python's, whose method is written in C."""
    import array

    KINDS["array"] = (lambda: array.array("i", [1]), {"append": (2,)})
    return "array", "append"


@counted(
    writing_methods,
    planted=by_a_kind_unknown,
    minimum=30,
    exceptions="Called by its name; += is gone through.",
)
def write_is_replayed(case: tuple[str, str]) -> bool:
    """A method that changes a list, dict or set from outside is gone through in one graph and replayed."""
    kind, name = case
    make, calls = KINDS[kind]
    outcomes = []
    for compiled in False, True:
        kept = make()

        def called(x: torch.Tensor, kept: Any = kept) -> Any:
            getattr(kept, name)(*calls[name])
            return x * 2

        torch._dynamo.reset()
        try:
            (torch.compile(called, backend="eager", fullgraph=True) if compiled else called)(torch.ones(1))
        except torch._dynamo.exc.Unsupported:
            return False
        outcomes.append(kept)
    return outcomes[0] == outcomes[1]
