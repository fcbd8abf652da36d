"""The claims of the article, counted."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from inside_torch.claims import counted, overloads, tensor_methods
from torch import Tensor
from torch._inductor import ir, lowering
from torch._inductor.decomposition import select_decomp_table
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

sys.path.insert(0, str(Path(__file__).parent))
from interpret import generated, interpret
from lowered import Lowered, lower

Function = Callable[[Tensor], Tensor]


def whole() -> Tensor:
    """A matrix, nine by nine."""
    return torch.linspace(-1, 1, 81).reshape(9, 9)


def computed_by(lowered: Lowered, output: int) -> ir.Operation:
    """What fills the buffer of an output."""
    return lowered.graph.get_buffer(lowered.graph.graph_outputs[output].get_name())


def reads(buffer: ir.Buffer) -> set[str]:
    """The names of the buffers from which it is computed."""
    return set(buffer.get_read_names())


@functools.cache
def interpreted() -> tuple[Lowered, list[Tensor]]:
    """Generated functions, lowered as one graph, and what our interpreter makes of its loops."""
    functions = [generated(seed) for seed in range(20)]
    found = lower(lambda x: tuple(function(x) for function in functions), whole())
    return found, interpret(found, whole())


def drawn() -> dict[str, tuple[int, Function]]:
    """The place of each among the outputs, and the function."""
    return {str(seed): (seed, generated(seed)) for seed in range(20)}


@counted(drawn, planted=lambda: (0, generated(1)), minimum=20)
def loops_compute_the_function(case: tuple[int, Function]) -> bool:
    """The bodies of the loops, called for each index, give what eager mode gives, and with its strides."""
    place, function = case
    result, expected = interpreted()[1][place], function(whole())
    return torch.allclose(result, expected, atol=1e-4, rtol=1e-4) and result.stride() == expected.stride()


def core() -> dict[str, torch._ops.OpOverload]:
    """The overloads that carry the tag `core`."""
    found = {}
    for full in overloads():
        name, _, overload = full.partition(".")
        target = getattr(getattr(torch.ops.aten, name), overload or "default")
        if torch.Tag.core in target.tags:
            found[full] = target
    return found


@counted(
    core,
    planted=lambda: torch.ops.aten._fft_c2r.default,
    minimum=150,
    exceptions="What has neither becomes a fallback, if it comes.",
)
def core_is_known(target: torch._ops.OpOverload) -> bool:
    """An overload of the core set has a lowering or a decomposition."""
    return target in lowering.lowerings or target in select_decomp_table()


def method(name: str, **options: object) -> Function:
    """The method, as a function that Dynamo can trace."""
    return lambda x: getattr(x, name)(**options)


def elementwise() -> dict[str, Function]:
    """The methods without arguments that give a float for each element, in memory of their own."""
    found = {}
    for name in tensor_methods(in_place=False):
        x = whole()
        try:
            result = getattr(x, name)()
            with FakeTensorMode() as mode:
                getattr(mode.from_tensor(x), name)()
        except (RuntimeError, TypeError, DataDependentOutputException):
            continue
        if (
            result.layout == torch.strided
            and (result.shape, result.dtype) == (x.shape, x.dtype)
            and result.data_ptr() != x.data_ptr()
        ):
            found[name] = method(name)
    return found


def reducing() -> dict[str, Function]:
    """The methods that make of each row one number, or True or False."""
    found = {}
    for name in tensor_methods(in_place=False):
        try:
            result = getattr(whole(), name)(dim=1)
        except (RuntimeError, TypeError):
            continue
        if isinstance(result, Tensor) and result.shape == (9,) and result.dtype != torch.uint64:
            found[name] = method(name, dim=1)
    return found


def views() -> dict[str, Function]:
    """What gives a view in eager mode."""
    return {
        "t": torch.t,
        "index": lambda x: x[0],
        "slice": lambda x: x[1:, ::2],
        "expand": lambda x: x.expand(2, 9, 9),
        "permute": lambda x: x.permute(1, 0),
        "view": lambda x: x.view(3, 27),
        "select": lambda x: x.select(1, 0),
        "narrow": lambda x: x.narrow(0, 2, 3),
        "unfold": lambda x: x.unfold(0, 2, 1),
        "diagonal": torch.diagonal,
        "as_strided": lambda x: x.as_strided((3, 3), (1, 2), 4),
        "unsqueeze": lambda x: x.unsqueeze(1),
        "unbind": lambda x: x.unbind()[3],
        "split": lambda x: x.split(4)[1],
        "movedim": lambda x: x.view(3, 3, 9).movedim(0, 2),
        "squeeze": lambda x: x[:1].squeeze(0),
        "two": lambda x: x.t()[1:].unflatten(1, (3, 3)),
    }


def apart(functions: dict[str, Function], then: Function) -> tuple[dict[str, int], Lowered]:
    """All in one graph, each on an input of its own, and done `then` to the result; their places there."""
    inputs = [whole() for _ in functions]

    def each(*inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(then(function(x)) for function, x in zip(functions.values(), inputs, strict=True))

    return {name: place for place, name in enumerate(functions)}, lower(each, *inputs)


def reads_the_input(lowered: Lowered, place: int) -> bool:
    """Whether the loop that fills this output reads that input, and nothing else."""
    buffer = computed_by(lowered, place)
    return isinstance(buffer, ir.ComputedBuffer) and reads(buffer) == {lowered.graph.graph_input_names[place]}


Case = tuple[Lowered, int]


def lowered_with(
    functions: Callable[[], dict[str, Function]], then: Function
) -> Callable[[], dict[str, Case]]:
    """A population: the functions, each with the graph in which it was lowered."""

    def population() -> dict[str, Case]:
        places, found = apart(functions(), then)
        return {name: (found, place) for name, place in places.items()}

    return population


def alone(function: Function) -> Callable[[], Case]:
    """A counterexample, lowered for itself."""
    return lambda: (lower(function, whole()), 0)


@counted(
    lowered_with(elementwise, torch.sqrt),
    planted=alone(lambda x: x.cumsum(0).sqrt()),
    minimum=50,
    exceptions="One sorts, one takes a matrix apart: by calls.",
)
def method_is_inlined(case: Case) -> bool:
    """What comes before a square root is computed in its loop, which reads the input alone."""
    return reads_the_input(*case)


HEAVY = {"exp", "log", "log10", "log1p", "log2", "sigmoid", "tanh"}


def twice(x: Tensor) -> Tensor:
    """It is read at two places."""
    return x + x.flip(0)


def many_sines(x: Tensor) -> Tensor:
    """Sixty of them, the result used twice."""
    for _ in range(60):
        x = x.sin()
    return twice(x)


@counted(
    lowered_with(elementwise, twice),
    planted=alone(many_sines),
    minimum=50,
    exceptions="One sorts, one takes a matrix apart: by calls, whose results have buffers.",
)
def kept_if_heavy(case: Case) -> bool:
    """A value that two nodes use has a buffer exactly where one of seven operations is in its body."""
    lowered, place = case
    if reads_the_input(lowered, place):
        return not HEAVY & set(computed_by(lowered, place).data.inner_fn_opcount().used_ops)
    (source,) = reads(computed_by(lowered, place))
    buffer = lowered.graph.get_buffer(source)
    return isinstance(buffer, ir.ComputedBuffer) and bool(
        HEAVY & set(buffer.data.inner_fn_opcount().used_ops)
    )


@counted(
    lowered_with(reducing, lambda x: x + 1),
    planted=alone(lambda x: x[:, :7].sum(1) + 1),
    minimum=10,
)
def reduction_has_a_buffer(case: Case) -> bool:
    """What follows a reduction of nine numbers reads a buffer, and not the input."""
    lowered, place = case
    return not reads(computed_by(lowered, place)) & set(lowered.graph.graph_input_names)


def views_of_a_sine() -> dict[str, Function]:
    """The same views, of loops that are not realized."""
    return {name: lambda x, view=view: view(x.sin()) for name, view in views().items()}


@counted(
    lowered_with(views_of_a_sine, lambda x: x + 1),
    planted=alone(lambda x: x.cumsum(0).t() + 1),
    minimum=15,
    exceptions="Strides are those of memory.",
)
def view_makes_no_loop(case: Case) -> bool:
    """One added to a view of a sine is one loop, which reads the input."""
    return reads_the_input(*case)
