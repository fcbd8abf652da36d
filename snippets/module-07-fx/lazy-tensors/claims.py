"""What this article says of all operators and methods, gone through on lazy tensors."""

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import torch
import torch._lazy
from hypothesis import strategies
from inside_torch.claims import cases, counted, tensor_methods
from torch import Tensor
from torch._lazy import metrics, ts_backend
from torch.utils import _pytree as pytree

ts_backend.init()


@cache
def tracing() -> ModuleType:
    """The claims of the article on tracing, whose samples are those of PyTorch's tests."""
    file = Path(__file__).parents[1] / "tracing" / "claims.py"
    spec = importlib.util.spec_from_file_location("tracing_claims", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def operators_of_tensors() -> dict[str, Any]:
    """What PyTorch's own tests list, with the first sample; it holds a tensor."""
    return tracing().operators_of_tensors()


def sample(function: Callable, *arguments: Any) -> Any:
    """A call as it stands in those tests."""
    return tracing().Sample(function, *arguments)


class Called(NamedTuple):
    """What a call gave on lazy tensors, and the counters of what it did."""

    results: list[Tensor]
    counters: set[str]


def call(one: Any) -> Called:
    """A sample, called on lazy tensors; nothing else waits."""
    torch._lazy.mark_step()
    arguments = [tensor.to("lazy").clone() for tensor in one.tensors()]  # nodes: to look at one runs a graph
    metrics.reset()
    torch.manual_seed(42)
    results = [leaf for leaf in pytree.tree_leaves(one.function()(*arguments)) if isinstance(leaf, Tensor)]
    return Called(results, set(metrics.counter_names()))


def eager(one: Any) -> list[Tensor]:
    """The tensors that a sample gives on the CPU."""
    torch.manual_seed(42)
    return [leaf for leaf in pytree.tree_leaves(one.function()(*one.tensors())) if isinstance(leaf, Tensor)]


@counted(
    operators_of_tensors,
    planted=lambda: sample(lambda x: x + torch.ones(2), torch.ones(2)),
    minimum=500,
    exceptions="A view without a kernel, a tensor that is not lazy, a sparse one, a result that was lost.",
)
def lazy_result_agrees(one: Any) -> bool:
    """Called on lazy tensors with its sample in PyTorch's tests, it gives what it gives on the CPU."""
    expected = eager(one)
    try:
        found = [tensor.cpu() for tensor in call(one).results]
        torch.testing.assert_close(found, expected, equal_nan=True)
    except (RuntimeError, AssertionError):
        return False
    return True


def disagreeing() -> dict[str, Any]:
    """The samples that do not give on lazy tensors what they give on the CPU."""
    return {name: one for name, one in operators_of_tensors().items() if not lazy_result_agrees(one)}


def lost() -> Any:
    """A call whose result does not depend on its argument."""
    return sample(lambda x: torch.nn.functional.pixel_shuffle(x, 2), torch.ones(1, 4, 1, 1))


@counted(
    disagreeing,
    planted=lost,
    minimum=10,
    exceptions="Its result is made from memory that was never written to.",
)
def disagreement_raises(one: Any) -> bool:
    """A sample that does not give on lazy tensors what it gives on the CPU raises."""
    try:
        for tensor in call(one).results:
            tensor.cpu()
    except RuntimeError:
        return True
    return False


@cache
def without_fallback() -> dict[str, Any]:
    """The samples that call no kernel of the CPU at once, end no step and give lazy tensors only."""
    found = {}
    for name, one in operators_of_tensors().items():
        try:
            results, counters = call(one)
        except RuntimeError:
            continue
        if any(result.device.type != "lazy" for result in results):
            continue
        if "MarkStep" not in counters and not any(counter.startswith("aten::") for counter in counters):
            found[name] = one
    return found


def computes(counters: set[str]) -> bool:
    """Whether a graph was run, or a kernel of the CPU was called."""
    return "SyncedTensorsWithIR" in counters or any(counter.startswith("aten::") for counter in counters)


def looks() -> Any:
    """A call that asks for a value on its way."""
    return sample(lambda x: x + 1 if x.sum() > 0 else x, torch.ones(2))


@counted(without_fallback, planted=looks, minimum=200)
def nothing_is_computed(one: Any) -> bool:
    """A call that calls no kernel of the CPU, ends no step and gives lazy tensors only runs no graph."""
    return not computes(call(one).counters)


@counted(without_fallback, planted=lambda: sample(torch.nonzero, torch.ones(2)), minimum=200)
def shape_is_known(one: Any) -> bool:
    """A result that waits has the shape and dtype that it has on the CPU."""
    results, counters = call(one)
    expected = eager(one)
    return not computes(counters) and [(r.shape, r.dtype) for r in results] == [
        (r.shape, r.dtype) for r in expected
    ]


def graphs(function: Callable[[], Tensor]) -> tuple[int, int]:
    """How many graphs a look at what a function gives compiles, and how many it finds."""
    torch._lazy.mark_step()
    result = function()
    metrics.reset()
    result.tolist()
    names = metrics.counter_names()
    first, second = (
        metrics.counter_value(n) if n in names else 0 for n in ("UncachedCompile", "CachedCompile")
    )
    return first, second


class Scaled:
    """A product of a lazy tensor with a number."""

    def __init__(self, number: float):
        self.number = number

    def __call__(self) -> Tensor:
        """The product, which waits."""
        return torch.ones(3).to("lazy") * self.number


def summed() -> Tensor:
    """Over a dimension that nobody has summed over."""
    return torch.ones(1, 1, 1, 1, 1, 1, 1).to("lazy").sum(5)


special = strategies.sampled_from([0.0, 1.0, -1.0])


@counted(cases(special | strategies.floats(), count=300), planted=lambda: summed, minimum=200)
def number_is_data(number: Any) -> bool:
    """A product with another number, be it 0, 1 or not a number, finds the compiled graph of the first."""
    graphs(Scaled(0.5))
    return graphs(number if callable(number) else Scaled(number)) == (0, 1)


class Written(NamedTuple):
    """A write through a view, and what it is to be."""

    on_lazy: Callable[[Tensor], Any]
    on_cpu: Callable[[Tensor], Any]


def writing_methods() -> dict[str, Written]:
    """The methods of a tensor that write in place and need no argument."""

    def method(name: str) -> Callable[[Tensor], Any]:
        return lambda tensor: getattr(tensor, name)()

    return {name: Written(method(name), method(name)) for name in tensor_methods(in_place=True)}


@counted(
    writing_methods,
    planted=lambda: Written(lambda x: x.relu(), lambda x: x.relu_()),
    minimum=40,
    exceptions="One is refused for a view on the CPU too; the other gives the view another size.",
)
def write_reaches_the_base(case: Written) -> bool:
    """After a method named in `_`, called on a view of a lazy tensor, the base has eager's values."""
    bases = []
    for device, write in ("cpu", case.on_cpu), ("lazy", case.on_lazy):
        torch.manual_seed(42)
        base = (torch.arange(12.0).reshape(3, 4) - 5).to(device) * 1
        try:
            write(base[1:])
            bases.append(base.cpu())
        except (RuntimeError, NotImplementedError):
            return False
    return torch.equal(*bases) or torch.allclose(*bases, equal_nan=True)
