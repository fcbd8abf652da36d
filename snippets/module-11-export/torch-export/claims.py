"""What export puts back, what the exported module refuses, and what decompositions leave: gone through."""

import functools
import warnings
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted, tensor_methods
from torch import Tensor, nn
from torch.export import ExportedProgram, export
from torch.export.graph_signature import OutputKind

Pair = namedtuple("Pair", "a b")


@dataclass
class Point:
    """A dataclass that nobody registered."""

    a: int = 0


@dataclass
class Kept:
    """A value for an attribute, and what a forward does with it."""

    make: Callable[[], Any]
    write: Callable[[nn.Module], object]


KEPT = {
    "an int, counted up": Kept(lambda: 0, lambda m: setattr(m, "kept", m.kept + 1)),
    "a float, doubled": Kept(lambda: 1.0, lambda m: setattr(m, "kept", m.kept * 2)),
    "a str, longer": Kept(lambda: "a", lambda m: setattr(m, "kept", m.kept + "b")),
    "a bool, turned": Kept(lambda: False, lambda m: setattr(m, "kept", not m.kept)),
    "None, replaced": Kept(lambda: None, lambda m: setattr(m, "kept", 1)),
    "a tuple, replaced": Kept(lambda: (1,), lambda m: setattr(m, "kept", (1, 2))),
    "a list, appended to": Kept(lambda: [1], lambda m: m.kept.append(2)),
    "a list in a dict, appended to": Kept(lambda: {"a": [1]}, lambda m: m.kept["a"].append(2)),
    "a dict, a key set": Kept(lambda: {}, lambda m: m.kept.update(a=1)),
    "an OrderedDict, a key set": Kept(lambda: OrderedDict(), lambda m: m.kept.update(a=1)),
    "a defaultdict, a key set": Kept(lambda: defaultdict(int), lambda m: m.kept.update(a=1)),
    "a deque, appended to": Kept(lambda: deque([1]), lambda m: m.kept.append(2)),
    "a namedtuple with a list, appended to": Kept(lambda: Pair([1], 2), lambda m: m.kept.a.append(2)),
    "a set, replaced": Kept(lambda: {1}, lambda m: setattr(m, "kept", {2})),
    "set.add": Kept(lambda: {1}, lambda m: m.kept.add(2)),
    "Counter.update": Kept(lambda: Counter(), lambda m: m.kept.update("a")),
    "bytearray[0] = 1": Kept(lambda: bytearray(1), lambda m: m.kept.__setitem__(0, 1)),
    "ndarray[0] = 1": Kept(lambda: np.zeros(1), lambda m: m.kept.__setitem__(0, 1)),
    "dataclass.a = 1": Kept(lambda: Point(), lambda m: setattr(m.kept, "a", 1)),
    "object.a = 1": Kept(lambda: SimpleNamespace(a=0), lambda m: setattr(m.kept, "a", 1)),
}


class Keeper(nn.Module):
    """A module with one attribute, which its forward writes."""

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self.kept, self.write = kept.make(), kept.write

    def forward(self, x: Tensor) -> Tensor:
        """Write, and compute something."""
        self.write(self)
        return x + 1


@counted(
    lambda: KEPT,
    planted=lambda: KEPT["set.add"],
    minimum=15,
    exceptions="The snapshot is a `tree_map`, which copies the containers that it knows and no other object.",
)
def attribute_is_put_back(kept: Kept) -> bool:
    """After an export an attribute is what it was before the forward wrote to it."""
    module = Keeper(kept)
    export(module, (torch.ones(1),))
    return bool(module.kept == kept.make())


VALUES = {
    "another int": (3, 4),
    "True for 1": (1, True),
    "another float": (2.5, 3.5),
    "3.0 for 3": (3, 3.0),
    "another str": ("a", "b"),
    "False for True": (True, False),
    "1 for None": (None, 1),
    "tensor for None": (None, torch.ones(1, device="cpu")),
    "another int in a list": ([3, 4], [3, 5]),
    "a longer list": ([3, 4], [3, 4, 5]),
    "another key of a dict": ({"a": 1}, {"b": 1}),
    "1.0 for a tensor": (torch.ones(1, device="cpu"), 1.0),
}


class Ignores(nn.Module):
    """Takes a second argument."""

    def forward(self, x: Tensor, y: Any) -> Tensor:
        """Use the tensor alone."""
        return x + 1


@counted(lambda: VALUES, planted=lambda: (3, 3), minimum=10)
def other_value_is_refused(values: tuple[Any, Any]) -> bool:
    """Called with another value, which its graph does not read, the exported module raises."""
    x = torch.ones(1, device="cpu")
    exported = export(Ignores(), (x, values[0])).module()
    try:
        exported(x, values[1])
    except (AssertionError, AttributeError, ValueError):
        return True
    return False


class Adds(nn.Module):
    """One tensor and no branch."""

    def forward(self, x: Tensor) -> Tensor:
        """Whatever the shape."""
        return x + 1


@functools.cache
def adds_of(shape: tuple[int, ...]) -> nn.Module:
    """The exported module, of an example of this shape."""
    return export(Adds(), (torch.ones(shape, device="cpu"),)).module()


SHAPES = st.lists(st.integers(1, 2), max_size=3).map(tuple)


def accepts(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> bool:
    """Whether the module that was exported with the first shape takes a tensor of the second."""
    try:
        adds_of(shapes[0])(torch.ones(shapes[1], device="cpu"))
    except (AssertionError, IndexError):
        return False
    return True


@counted(cases(st.tuples(SHAPES, SHAPES), count=120), planted=lambda: ((2,), (2,), (3,)))
def guard_is_a_prefix(shapes: tuple[tuple[int, ...], ...]) -> bool:
    """The exported module takes a shape exactly when it begins with the sizes of the example."""
    example, other = shapes[0], shapes[-1]
    return accepts(shapes[:2]) == (other[: len(example)] == example)


class InPlace(nn.Module):
    """A module that calls one method on its argument."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def forward(self, x: Tensor) -> Tensor:
        """Write to the argument."""
        return getattr(x, self.name)() + 1


def writes(program: ExportedProgram) -> bool:
    """Whether an overload of the graph says that it writes to an argument."""
    targets = [node.target for node in program.graph.nodes if node.op == "call_function"]
    return any(isinstance(target, torch._ops.OpOverload) and target._schema.is_mutable for target in targets)


def exportable() -> list[str]:
    """Every sixth method in place that needs no argument, if it can be exported and decomposed."""
    return [name for name in tensor_methods(in_place=True)[::6] if _both(name)]


@functools.cache
def _both(name: str) -> tuple[ExportedProgram, ExportedProgram] | None:
    x = torch.arange(12.0, device="cpu").reshape(3, 4)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = export(InPlace(name), (x,))
            return program, program.run_decompositions({})
    except Exception:
        return None


@counted(exportable, planted="relu")
def write_becomes_an_output(name: str) -> bool:
    """The graph has the write of a method in place; decomposed it has none, and an output to be written."""
    before, after = _both(name)
    kinds = [spec.kind for spec in after.graph_signature.output_specs]
    return writes(before) and not writes(after) and OutputKind.USER_INPUT_MUTATION in kinds
