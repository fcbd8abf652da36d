"""What this article says of all functions, operators, modules and methods, gone through."""

import inspect
import sys
import threading
import types
import unittest
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from inside_torch.claims import counted, nn_modules, tensor_methods
from torch import Tensor, fx
from torch._guards import TracingContext, tracing
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree


def overridable_functions() -> dict[str, Callable]:
    """The functions that a class like Proxy can override, methods left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {torch.overrides.resolve_name(one): one for one in torch.overrides.get_testing_overrides()}
    return {name: one for name, one in found.items() if name and not name.startswith("torch.Tensor.")}


def recorded_targets(function: Callable, *arguments: Any, **named: Any) -> list[Any]:
    """The targets of the calls that are recorded when a function is called with a proxy for each None."""
    graph = fx.Graph()
    proxy = fx.Proxy(graph.placeholder("proxy"), fx.proxy.GraphAppendingTracer(graph))
    given = [proxy if one is None else one for one in arguments]
    function(*given, **{name: proxy for name in named})
    return [node.target for node in graph.nodes if node.op.startswith("call")]


@counted(overridable_functions, planted=lambda: len, minimum=600)
def overridable_records_itself(function: Callable) -> bool:
    """A function that can be overridden records one call of itself when it is given proxies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stand_in = torch.overrides.get_testing_overrides().get(function, lambda x: x)
    needed = [one for one in inspect.signature(stand_in).parameters.values() if one.default is one.empty]
    positional = [one for one in needed if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    first = ["i->i"] if function is torch.functional.einsum else []
    fewest = max(1, len(positional)) - len(first)
    for count in range(max(1, fewest - 1), fewest + 5):
        for named in {}, {"dim": None}, {"size": None}, {"upper": None}:
            try:
                found = recorded_targets(function, *first, *[None] * count, **named)
            except (TypeError, RuntimeError, ValueError):
                continue
            return found == [function]
    return False


class Sample:
    """A call of one operator with tensors for arguments; what else it is given stays as it is."""

    def __init__(self, call: Callable, *arguments: Any, **named: Any):
        self.call = call
        self.leaves, self.spec = pytree.tree_flatten((arguments, named))
        self.places = [at for at, one in enumerate(self.leaves) if isinstance(one, Tensor)]

    def tensors(self) -> list[Tensor]:
        """The tensors among the arguments, each in a copy."""
        return [self.leaves[at].detach().clone() for at in self.places]

    def function(self) -> Callable:
        """The call as a function of so many tensors, each with a name."""

        def given(*tensors: Tensor) -> Any:
            leaves = list(self.leaves)
            for at, one in zip(self.places, tensors, strict=True):
                leaves[at] = one
            arguments, named = pytree.tree_unflatten(leaves, self.spec)
            return self.call(*arguments, **named)

        names = ", ".join(f"tensor_{at}" for at in self.places)
        scope = {"given": given}
        exec(f"def function({names}): return given({names})", scope)
        return scope["function"]


@cache
def known_operators() -> dict[str, Sample]:
    """What PyTorch's own tests list, by name, with its first sample; nothing that gives raw memory."""
    if "expecttest" not in sys.modules:  # the list is imported with the base class of the tests
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    found = {}
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if torch.float32 in op.supported_dtypes("cpu") and not name.startswith(
            ("jiterator", "empty", "new_empty")
        ):
            sample = next(iter(op.sample_inputs_func(op, "cpu", torch.float32, requires_grad=False)))
            found[name] = Sample(op.op, sample.input, *sample.args, **sample.kwargs)
    return found


def operators_of_tensors() -> dict[str, Sample]:
    """Those whose sample holds a tensor."""
    return {name: sample for name, sample in known_operators().items() if sample.places}


def agrees(recorded: fx.GraphModule, sample: Sample) -> bool:
    """Whether a recorded graph computes what the call computes, from the same random numbers."""
    results = []
    for callee in recorded, sample.function():
        torch.manual_seed(42)
        results.append(pytree.tree_leaves(callee(*sample.tensors())))
    try:
        torch.testing.assert_close(*results, equal_nan=True)
    except AssertionError:
        return False
    return True


def branches() -> Sample:
    """A call that asks a tensor for its truth."""
    return Sample(lambda x: x + 1 if x.sum() > 0 else x, torch.ones(2))


@counted(
    operators_of_tensors,
    planted=branches,
    minimum=500,
    exceptions="They ask a proxy for a truth or a number, call a method through its class, or take a module.",
)
def symbolic_graph_agrees(sample: Sample) -> bool:
    """Traced symbolically and run on its sample in PyTorch's tests, it computes what it does untraced."""
    try:
        return agrees(fx.symbolic_trace(sample.function()), sample)
    except (TypeError, NotImplementedError, fx.proxy.TraceError):
        return False


@cache
def made(sample: Sample) -> fx.GraphModule:
    """The graph that make_fx makes of a call."""
    torch.manual_seed(42)
    return make_fx(sample.function())(*sample.tensors())


@counted(
    operators_of_tensors,
    planted=branches,
    minimum=500,
    exceptions="They take a value out of a tensor, or the tensor is sparse in a way that has no strides.",
)
def made_graph_agrees(sample: Sample) -> bool:
    """Traced by make_fx and run on its sample in PyTorch's tests, it computes what it does untraced."""
    try:
        return agrees(made(sample), sample)
    except RuntimeError:
        return False


def recorded_overloads() -> dict[str, Any]:
    """The overloads that stand in the graphs of make_fx."""
    found = {}
    for sample in operators_of_tensors().values():
        try:
            graph = made(sample).graph
        except RuntimeError:
            continue
        targets = [node.target for node in graph.nodes if isinstance(node.target, torch._ops.OpOverload)]
        found |= {str(target): target for target in targets}
    return found


@counted(recorded_overloads, planted=lambda: torch.ops.aten.matmul.default, minimum=400)
def no_composite_is_recorded(target: Any) -> bool:
    """An overload that stands in a graph of make_fx has no kernel that is composite for autograd as well."""
    return not torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), "CompositeImplicitAutograd")


def taking_a_tensor(make: Callable) -> Callable:
    """A function that does not look at its argument."""
    return lambda unused: make()


def factories() -> dict[str, Callable]:
    """Those that make a tensor and whose sample holds none, as functions of one that they ignore."""
    makers = {name: one.function() for name, one in known_operators().items() if not one.places}
    return {name: taking_a_tensor(make) for name, make in makers.items() if isinstance(make(), Tensor)}


@counted(factories, planted=lambda: lambda x: torch.zeros(x.shape), minimum=20)
def factory_is_a_constant(function: Callable) -> bool:
    """Traced symbolically, a function that makes a tensor from no proxy is in the graph as that tensor."""
    graph = fx.symbolic_trace(function).graph
    return [node.op for node in graph.nodes] == ["placeholder", "get_attr", "output"]


def through_numpy(tensor: Tensor) -> Tensor:
    """A tensor that comes back from NumPy."""
    return torch.from_numpy(tensor.numpy() * 2)


@counted(factories, planted=lambda: through_numpy, minimum=20)
def factory_is_recorded(function: Callable) -> bool:
    """Traced by make_fx, a call that makes a tensor from none is in the graph as calls alone."""
    graph = make_fx(function)(torch.ones(2)).graph
    return not graph.find_nodes(op="get_attr") and any(node.op == "call_function" for node in graph.nodes)


used_threads: set[int] = set()


class Nested(torch.autograd.Function):
    """The identity; its backward runs a backward that runs a backward, and multiplies."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, depth: int) -> Tensor:
        """The argument, in a copy."""
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        """One multiplication at each depth."""
        used_threads.add(threading.get_ident())
        if ctx.depth > 1:
            with torch.enable_grad():
                Nested.apply(torch.ones(1, requires_grad=True), ctx.depth - 1).backward()
        return gradient * 3, None


def nested_backwards() -> dict[str, tuple[Callable, int, int]]:
    """A derivative through so many backwards, how many there are, and in how many threads they run."""

    def through(depth: int) -> Callable:
        return lambda x: torch.autograd.grad(Nested.apply(x, depth), x)[0]

    return {str(depth): (through(depth), depth, 1 if depth <= 60 else 2) for depth in range(10, 101, 10)}


def by_own_thread() -> tuple[Callable, int, int]:
    """A multiplication in a thread that is started by hand."""

    def multiplied(x: Tensor) -> Tensor:
        results = []
        thread = threading.Thread(target=lambda: results.append(x * 3))
        thread.start()
        thread.join()
        return results[0]

    return multiplied, 1, 0


@counted(nested_backwards, planted=by_own_thread, minimum=10)
def nested_backward_is_heard(case: tuple[Callable, int, int]) -> bool:
    """Each multiplication of a backward nested so deep is in the graph of make_fx, whatever its thread."""
    function, multiplications, threads_used = case
    used_threads.clear()
    # make_fx notes a fake tensor for each node, and makes a fake mode for each unless it knows one. A mode
    # keeps the stack that it was made on, which is deep here.
    with tracing(TracingContext(FakeTensorMode())):
        graph = make_fx(function)(torch.ones(1, requires_grad=True)).graph
    assert len(used_threads) == threads_used, (multiplications, len(used_threads))
    return sum(node.target is torch.ops.aten.mul.Tensor for node in graph.nodes) == multiplications


def writing_methods() -> dict[str, tuple[Callable, str]]:
    """The methods of a tensor that write in place and need no argument, and the mode."""
    return {name: (dispatch_functionalize, name) for name in tensor_methods(in_place=True)}


@counted(
    writing_methods,
    planted=lambda: (lambda function: function, "relu_"),
    minimum=40,
    exceptions="What it does is no call of an operator: it puts the memory elsewhere.",
)
def functional_graph_does_not_write(case: tuple[Callable, str]) -> bool:
    """Under FunctionalTensorMode, a method that writes in place leaves no overload that writes."""
    through, name = case
    try:
        graph = make_fx(through(lambda x: getattr(x, name)()))(torch.arange(12.0).reshape(3, 4)).graph
    except NotImplementedError:
        return False
    calls = [node for node in graph.nodes if node.op == "call_function"]
    return not any(node.target._schema.is_mutable for node in calls)


@counted(nn_modules, planted=lambda: type("Mine", (torch.nn.Linear,), {"__module__": "mine"}), minimum=100)
def module_of_nn_is_a_leaf(kind: type) -> bool:
    """A module that PyTorch's nn exports is a leaf module to the symbolic tracer."""
    return fx.Tracer().is_leaf_module(kind.__new__(kind), "")
