"""What this article says of all graphs, functions, overloads and notes, gone through."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from fold import Twice, fold
from inside_torch.claims import counted, overloads
from torch import Tensor, fx, nn
from torch.fx.experimental import optimization
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher
from torch.fx.proxy import _COPY_META_FIELDS


def a_pair(seed: int) -> tuple[nn.Module, Tensor]:
    """A convolution and a batch norm or two with options of chance, in double precision, and an input."""
    pick = random.Random(seed)
    torch.manual_seed(seed)
    rank, groups = pick.choice([1, 2, 3]), pick.choice([1, 2])
    channels, results = groups * pick.randint(1, 3), groups * pick.randint(1, 3)
    conv = getattr(nn, f"Conv{rank}d")(
        channels, results, pick.choice([1, 3]), stride=pick.choice([1, 2]), groups=groups,
        padding=pick.choice([0, 1]), padding_mode=pick.choice(["zeros", "circular"]),
        bias=pick.random() < 0.5,
    )  # fmt: skip
    norms = [
        getattr(nn, f"BatchNorm{rank}d")(results, affine=pick.random() < 0.7, eps=pick.choice([1e-5, 0.1]))
        for _ in range(pick.choice([1, 1, 2]))
    ]
    model = nn.Sequential(conv, *norms).double()
    x = torch.randn(4, channels, *[5] * rank).double()
    model(x * 3)  # the statistics have seen something
    for parameter in model[1:].parameters():
        nn.init.uniform_(parameter, -2, 2)
    return model.eval(), x


Folded = tuple[nn.Module, nn.Module, Tensor]


def folded_pairs() -> dict[str, Folded]:
    """Pairs of chance and what the pass makes of them, each named by its seed."""
    pairs = {f"seed {seed}": a_pair(seed) for seed in range(100)}
    return {name: (fold(model)[0], model, x) for name, (model, x) in pairs.items()}


def folded_by_torch() -> Folded:
    """A convolution that is called twice, and torch's own pass."""
    torch.manual_seed(0)
    model = Twice()
    return optimization.fuse(model), model, torch.ones(1, 2, 3, 3)


@counted(folded_pairs, planted=folded_by_torch, minimum=100)
def fold_computes_the_same(member: Folded) -> bool:
    """A batch norm is folded into the convolution before it, and the values stay, up to rounding."""
    module, model, x = member
    gone = not any("norm" in str(type(layer)).lower() for layer in module.modules())
    return gone and torch.allclose(module(x), model(x), rtol=1e-9, atol=1e-9)


def a_graph(seed: int) -> fx.Graph:
    """Calls of pure functions, made by chance."""
    pick = random.Random(seed)
    graph = fx.Graph()
    nodes = [graph.placeholder("a"), graph.placeholder("b")]
    for _ in range(pick.randint(4, 12)):
        one, other = pick.choice(nodes[-2:]), pick.choice(nodes)
        target = pick.choice([torch.neg, torch.neg, torch.abs, torch.add, torch.mul])
        nodes.append(
            graph.call_function(target, (one, other) if target in (torch.add, torch.mul) else (one,))
        )
    graph.output((*pick.sample(nodes, 2), nodes[-1]))
    return graph


EQUAL: list[tuple[Callable, Callable]] = [
    (lambda x: torch.abs(torch.neg(x)), lambda x: torch.abs(x)),
    (lambda x, y: torch.add(torch.neg(x), y), lambda x, y: torch.sub(y, x)),
    (lambda x, y: torch.add(y, torch.neg(x)), lambda x, y: torch.sub(y, x)),
    (lambda x: torch.neg(torch.neg(x)), lambda x: x),
]


@cache
def patterns() -> list[tuple[fx.Graph, fx.Graph]]:
    """The graph of each pattern and of what replaces it."""
    return [(fx.symbolic_trace(one).graph, fx.symbolic_trace(other).graph) for one, other in EQUAL]


def graphs() -> dict[str, fx.Graph]:
    """Graphs of chance, each named by its seed."""
    return {f"seed {seed}": a_graph(seed) for seed in range(400)}


def graphs_with_a_match() -> dict[str, fx.Graph]:
    """Those in which one of the patterns is found."""
    matchers = [SubgraphMatcher(pattern) for pattern, _ in patterns()]
    return {name: graph for name, graph in graphs().items() if any(one.match(graph) for one in matchers)}


def with_a_write() -> fx.Graph:
    """Between the two calls of a pattern their input is written to."""
    graph = fx.Graph()
    a, b = graph.placeholder("a"), graph.placeholder("b")
    y = graph.call_function(torch.mul, (a, b))
    inner = graph.call_function(torch.neg, (y,))
    graph.call_method("zero_", (y,))
    graph.output((graph.call_function(torch.abs, (inner,)),))
    return graph


def values(module: nn.Module) -> list[Tensor]:
    """What a graph of two inputs computes."""
    return list(module(torch.tensor([1.5, -2.0]).double(), torch.tensor([-0.5, 4.0]).double()))


@counted(graphs_with_a_match, planted=with_a_write, minimum=150)
def replacement_computes_the_same(graph: fx.Graph) -> bool:
    """In a graph of pure functions, to replace patterns by equal ones leaves what it computes."""
    module = fx.GraphModule({}, graph)
    before = values(module)
    for pattern, replacement in patterns():
        fx.replace_pattern(module, pattern, replacement)
    module.graph.lint()
    return all(torch.equal(one, other) for one, other in zip(before, values(module), strict=True))


Spelled = tuple[tuple[str, Any], tuple[str, Any]]


def two_spellings() -> dict[str, Spelled]:
    """The functions of torch that are methods of a tensor too, by name."""
    names = [name for name in dir(torch) if not name.startswith("_") and hasattr(torch.Tensor, name)]
    return {
        name: (("call_function", getattr(torch, name)), ("call_method", name))
        for name in names
        if callable(getattr(torch, name)) and callable(getattr(torch.Tensor, name))
    }


def one_call(op: str, target: Any) -> fx.Graph:
    """A graph of one call of one argument."""
    graph = fx.Graph()
    graph.output(graph.create_node(op, target, (graph.placeholder("x"),)))
    return graph


def found(pattern: fx.Graph, graph: fx.Graph) -> int:
    """How often a pattern is found."""
    return len(SubgraphMatcher(pattern).match(graph))


@counted(
    two_spellings, planted=lambda: (("call_function", torch.relu), ("call_function", torch.relu)), minimum=300
)
def spelling_is_not_found(member: Spelled) -> bool:
    """A pattern that calls a function finds no call of the method of its name, and the other way round."""
    function, method = (one_call(*one) for one in member)
    return not found(function, method) and not found(method, function) and found(function, function) == 1


def overloads_with_a_default() -> dict[str, Any]:
    """The overloads of ATen with an argument that may be left out."""
    result = {}
    for name in overloads():
        operator, _, which = name.partition(".")
        one = getattr(getattr(torch.ops.aten, operator), which or "default")
        if any(argument.has_default_value() for argument in one._schema.arguments):
            result[name] = one
    return result


def called(overload: Any, target: Callable, spelled: bool) -> fx.Graph:
    """A graph of one call, with the defaults of an overload given by name, or left out."""
    graph, positional, named = fx.Graph(), [], {}
    for argument in overload._schema.arguments:
        if not argument.has_default_value():
            value = graph.placeholder(argument.name)
            if argument.kwarg_only:
                named[argument.name] = value
            else:
                positional.append(value)
        elif spelled:
            named[argument.name] = argument.default_value
    graph.output(graph.call_function(target, tuple(positional), named))
    return graph


def function_with_a_default() -> Callable:
    """A function of Python, which has the schema of an overload and is none."""

    def target(*args: Any, **kwargs: Any) -> Any:
        return torch.ops.aten.add.Tensor(*args, **kwargs)

    target._schema = torch.ops.aten.add.Tensor._schema
    return target


@counted(overloads_with_a_default, planted=function_with_a_default, minimum=1000)
def default_is_filled_in(overload: Any) -> bool:
    """A pattern that leaves out the defaults of an overload finds a call that gives them."""
    return found(called(overload, overload, False), called(overload, overload, True)) == 1


def noted(key: str) -> dict[str, Any]:
    """The notes of a node that a Transformer made from one with a note under this key."""
    graph = one_call("call_function", torch.neg)
    for node in graph.nodes:
        node.meta[key] = ["mine"]
    [node] = (
        fx.Transformer(fx.GraphModule({}, graph))
        .transform()
        .graph.find_nodes(op="call_function", target=torch.neg)
    )
    return node.meta


@counted(lambda: list(_COPY_META_FIELDS), planted="val", minimum=10)
def listed_note_stays(key: str) -> bool:
    """A note under one of the listed keys is on the node a Transformer makes, from_node's in a new one."""
    note = noted(key).get(key)
    return (note[0].from_node if key == "from_node" else note) == ["mine"]


Pair = tuple[fx.Graph, fx.Graph]


class Exchanges(fx.Transformer):
    """Takes abs for neg."""

    def call_function(self, target: Any, args: tuple, kwargs: dict) -> Any:
        return super().call_function(torch.abs if target is torch.neg else target, args, kwargs)


def transformed(graph: fx.Graph, kind: type[fx.Transformer] = fx.Transformer) -> Pair:
    """A graph, and what a Transformer makes of it."""
    return graph, kind(fx.GraphModule({}, graph)).transform().graph


def transformed_graphs() -> dict[str, Pair]:
    """Graphs of chance and what a Transformer makes of them that changes nothing."""
    return {name: transformed(graph) for name, graph in graphs().items()}


def lines(graph: fx.Graph) -> list[tuple]:
    """Each node by its op, its target and the places of its arguments in the list."""
    places = {node: place for place, node in enumerate(graph.nodes)}
    return [
        (node.op, node.target, str(fx.node.map_arg(node.args, places.__getitem__))) for node in graph.nodes
    ]


@counted(
    transformed_graphs,
    planted=lambda: transformed(one_call("call_function", torch.neg), Exchanges),
    minimum=400,
)
def transformer_copies(pair: Pair) -> bool:
    """A Transformer that replaces no method makes the same calls of pure functions, in the same order."""
    return lines(pair[0]) == lines(pair[1])
