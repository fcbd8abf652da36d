"""The claims of the article, counted."""

import itertools
import math
import operator
import random
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from inside_torch.claims import counted, tensor_methods
from torch import Tensor, fx
from torch._functorch.aot_autograd import aot_function
from torch._functorch.partitioners import default_partition, min_cut_rematerialization_partition
from torch._inductor.decomposition import select_decomp_table
from torch._subclasses.fake_tensor import DataDependentOutputException
from torch.fx.experimental.proxy_tensor import make_fx

sys.path.insert(0, str(Path(__file__).parent))
from halves import as_it_is, halves
from min_cut import Joint, deep, generated, in_order, last_cut, matrices

Network = dict[str, dict[str, float]]


@counted(lambda: {str(seed): generated(seed) for seed in range(100, 120)}, planted=lambda: deep, minimum=20)
def cut_as_the_partitioner(function: Callable) -> bool:
    """Our cut, by all of its rules, saves what PyTorch's partitioner saves."""
    parts = halves(function, *matrices(), decompositions=select_decomp_table())
    return Joint(parts).saved() == in_order(parts.saved, parts)


def network(seed: int) -> Network:
    """Edges drawn between a source, six nodes and a sink, forwards only."""
    draw = random.Random(seed)
    names = ["source", *"abcdef", "sink"]
    edges = {name: {} for name in names}
    for start, end in itertools.combinations(names, 2):
        if draw.random() < 0.5 and (start, end) != ("source", "sink"):
            edges[start][end] = draw.randint(1, 9)
    return edges


def least(edges: Network) -> float:
    """What the cheapest of all cuts costs, each of them tried."""
    inner = [name for name in edges if name not in ("source", "sink")]
    costs = []
    for many in range(len(inner) + 1):
        for chosen in itertools.combinations(inner, many):
            beyond = {"sink", *chosen}
            costs.append(cost(edges, beyond))
    return min(costs)


def cost(edges: Network, beyond: set[str]) -> float:
    """Of the edges into that side."""
    return sum(
        amount
        for start, ends in edges.items()
        for end, amount in ends.items()
        if start not in beyond and end in beyond
    )


def at_the_sink(edges: Network) -> tuple[float, set[str]]:
    """No search: the sink alone."""
    return cost(edges, {"sink"}), {"sink"}


def networks() -> dict[str, tuple[Network, Callable]]:
    """Networks, each with the search that is judged."""
    return {str(seed): (network(seed), last_cut) for seed in range(200)}


def wide_end() -> tuple[Network, Callable]:
    """A network whose cheapest cut is not at the sink."""
    return {"source": {"a": 1}, "a": {"sink": 5}, "sink": {}}, at_the_sink


@counted(networks, planted=wide_end, minimum=200)
def cut_is_minimal(case: tuple[Network, Callable]) -> bool:
    """The cut that is found costs what the cheapest of all cuts costs."""
    edges, search = case
    total, beyond = search(edges)
    return math.isclose(total, least(edges)) and math.isclose(cost(edges, beyond), total)


def compiled_by_aot(function: Callable, partition: Callable = default_partition) -> Callable:
    """The function, its two halves run as they are."""
    return aot_function(function, as_it_is, partition_fn=partition)


def both_partitions() -> dict[str, tuple[Callable, Callable]]:
    """Generated functions, cut by each of the two partitioners."""
    return {
        f"{seed} {partition.__name__}": (generated(seed), partition)
        for seed in range(8)
        for partition in (default_partition, min_cut_rematerialization_partition)
    }


def counting() -> tuple[Callable, Callable]:
    """A function that reads what changes between two calls, and a graph holds what it read once."""
    calls = itertools.count(1)
    return lambda x, weight: x * weight * next(calls), default_partition


@counted(both_partitions, planted=counting, minimum=16)
def halves_compute_the_function(case: tuple[Callable, Callable]) -> bool:
    """The two halves, run one after the other, give the output and the gradients of eager mode."""
    function, partition = case
    x, weight = matrices()
    compiled = aot_function(function, as_it_is, partition_fn=partition)
    results = []
    for called in function, compiled:
        output = called(x, weight)
        gradients = torch.autograd.grad(output.sum(), (x, weight), allow_unused=True)
        results.append([output, *(g if g is not None else torch.zeros(8, 8) for g in gradients)])
    return all(
        torch.allclose(*pair, rtol=1e-3, atol=1e-3, equal_nan=True) for pair in zip(*results, strict=True)
    )


def writes(graph: fx.Graph) -> bool:
    """Whether a call of the graph is of an overload that writes."""
    return any(
        isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
        for node in graph.nodes
    )


def plain_input() -> Tensor:
    """A matrix that came of one that wants a gradient."""
    return torch.rand(3, 3, requires_grad=True).clone()


def written_input(name: str) -> Callable[[], fx.Graph]:
    """The joint graph of a function that writes into its input by that method."""

    def function(x: Tensor) -> Tensor:
        getattr(x, name)()
        return x * 2

    return lambda: halves(function, plain_input()).joint.graph


def writing() -> dict[str, Callable[[], fx.Graph]]:
    """The methods that write in place and need no argument, where eager mode gives a gradient."""
    found = {}
    for name in tensor_methods(in_place=True):
        x = plain_input()
        try:
            getattr(x, name)()
            (x * 2).sum().backward()
        except (RuntimeError, TypeError, NotImplementedError):
            continue
        found[name] = written_input(name)
    return found


@counted(
    writing,
    planted=lambda: lambda: make_fx(lambda x: x.relu_())(torch.ones(2)).graph,
    minimum=20,
    exceptions="It puts the memory elsewhere, and cannot be recorded.",
)
def joint_graph_does_not_write(graph: Callable[[], fx.Graph]) -> bool:
    """The joint graph of a function that writes into its input calls nothing that writes."""
    try:
        return not writes(graph())
    except RuntimeError:
        return False


def twice_differentiable() -> dict[str, tuple[Callable, Callable]]:
    """The methods without arguments that eager mode differentiates twice."""
    found = {}
    for name in tensor_methods(in_place=False):
        x = torch.full((2, 2), 0.5, requires_grad=True)
        try:
            (first,) = torch.autograd.grad(getattr(x, name)().sum(), x, create_graph=True)
            torch.autograd.grad(first.sum(), x)
        except (RuntimeError, TypeError, AttributeError, NotImplementedError, ValueError):
            continue
        found[name] = operator.methodcaller(name), compiled_by_aot
    return found


@counted(
    twice_differentiable,
    planted=lambda: (torch.sin, lambda f: f),
    minimum=20,
    exceptions="It asks for a value while it is recorded, and there is none.",
)
def double_backward_raises(case: tuple[Callable, Callable]) -> bool:
    """Compiled, a backward through the function's backward raises."""
    function, compile_it = case
    x = torch.full((2, 2), 0.5, requires_grad=True)
    try:
        (first,) = torch.autograd.grad(compile_it(function)(x).sum(), x, create_graph=True)
        first.sum().backward()
    except (RuntimeError, DataDependentOutputException) as error:
        return "does not currently support double backward" in str(error)
    return False


def views() -> dict[str, Callable]:
    """Methods whose result is a view of the input in eager mode, with arguments and without."""
    found = {
        "view": lambda x: x.view(-1),
        "index": lambda x: x[0],
        "slice": lambda x: x[1:],
        "expand": lambda x: x.expand(2, 2, 2),
        "permute": lambda x: x.permute(1, 0),
        "select": lambda x: x.select(1, 0),
        "narrow": lambda x: x.narrow(0, 0, 1),
        "as_strided": lambda x: x.as_strided((2,), (1,)),
        "unfold": lambda x: x.unfold(0, 2, 1),
        "two": lambda x: x.t()[0],
    }
    for name in tensor_methods(in_place=False):
        x = torch.ones(2, 2, requires_grad=True).clone()
        try:
            result = getattr(x, name)()
        except (RuntimeError, TypeError, AttributeError, NotImplementedError, ValueError):
            continue
        if isinstance(result, Tensor) and result is not x and result._base is x and result.requires_grad:
            found[name] = operator.methodcaller(name)
    return found


@counted(views, planted=lambda: lambda x: x * 2, minimum=14)
def view_of_an_input_is_one(function: Callable) -> bool:
    """The output of the compiled function has the input for its base, and the node of the view."""
    x = torch.ones(2, 2, requires_grad=True).clone()
    compiled = compiled_by_aot(function)(x)
    eager = function(x)
    return (
        compiled._base is x
        and compiled.data_ptr() == eager.data_ptr()
        and compiled.stride() == eager.stride()
        and compiled.grad_fn.name() == eager.grad_fn.name()
    )
