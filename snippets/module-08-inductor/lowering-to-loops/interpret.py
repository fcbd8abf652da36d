"""An interpreter of Inductor's loops: it calls their bodies with numbers in the place of symbols."""

import functools
import itertools
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import sympy
import torch
from torch import Tensor
from torch._inductor import ir
from torch._inductor.ops_handler import DefaultHandler
from torch._inductor.virtualized import V

sys.path.insert(0, str(Path(__file__).parent))
from lowered import Lowered, lower, name

OTHERWISE = {"truediv": "div", "mod": "fmod", "and_": "bitwise_and", "or_": "bitwise_or"}


# region handler
class Numbers(DefaultHandler):
    """Each operation of a body is done at once, to one number, by PyTorch's operator of that name."""

    def __init__(self, memory: dict[str, Tensor], sizes: dict[sympy.Symbol, int]) -> None:
        self.memory = memory  # of each buffer its storage, in one dimension
        self.sizes = sizes  # what the symbols stand for
        self.calls = 0

    def number(self, expression: sympy.Expr) -> int:
        return int(sympy.sympify(expression).subs(self.sizes))

    def load(self, name: str, index: sympy.Expr) -> Tensor:
        self.calls += 1
        return self.memory[name][self.number(index)]

    def constant(self, value: float, dtype: torch.dtype) -> Tensor:
        return torch.tensor(value, dtype=dtype)

    def index_expr(self, expression: sympy.Expr, dtype: torch.dtype) -> Tensor:
        return torch.tensor(self.number(expression), dtype=dtype)

    def to_dtype(self, x: Tensor, dtype: torch.dtype, **_: object) -> Tensor:
        return x.to(dtype)

    def indirect_indexing(self, x: Tensor, size: sympy.Expr, *_: bool) -> sympy.Expr:
        return sympy.Integer(int(x) % self.number(size))

    def masked(self, mask: Tensor, body: Callable[[], Tensor], other: float) -> Tensor:
        return body() if mask else torch.tensor(other)

    def _default(self, name: str, args: tuple, kwargs: dict) -> Tensor:
        self.calls += 1
        return getattr(torch, OTHERWISE.get(name, name))(*args, **kwargs)


# endregion

REDUCED = {"sum": torch.sum, "prod": torch.prod, "max": torch.amax, "min": torch.amin, "any": torch.any}


# region loops
def fill(buffer: ir.ComputedBuffer, numbers: Numbers) -> None:
    """Run a loop: its body for each index, what comes out where the layout says."""
    loop, place = buffer.data, buffer.get_layout().make_indexer()

    def every(ranges: Sequence[sympy.Expr]) -> Iterator[list[sympy.Integer]]:
        for index in itertools.product(*(range(numbers.number(size)) for size in ranges)):
            yield [sympy.Integer(i) for i in index]

    for index in every(loop.ranges):
        if isinstance(loop, ir.Reduction):
            values = [unwrapped(loop.inner_fn(index, inner)) for inner in every(loop.reduction_ranges)]
            value = REDUCED[loop.reduction_type](torch.stack(values))
        else:
            value = unwrapped(loop.inner_fn(index))
        numbers.memory[buffer.name][numbers.number(place(index))] = value


# endregion


def unwrapped(value: object) -> Tensor:
    """Without the box in which `ops` hands out what a handler returns."""
    return getattr(value, "value", value)


def strided(buffer: ir.IRNode, numbers: Numbers) -> Tensor:
    """The tensor that a buffer or a view of it is, on its storage."""
    layout = buffer.get_layout()
    size, stride = ([numbers.number(n) for n in sizes] for sizes in (layout.size, layout.stride))
    return numbers.memory[buffer.get_name()].as_strided(size, stride, numbers.number(layout.offset))


def interpret(lowered: Lowered, *inputs: Tensor) -> list[Tensor]:
    """The outputs: loops by `fill`, products of matrices by a call."""
    graph, numbers, left = lowered.graph, Numbers({}, {}), iter(inputs)
    for name_, box in graph.graph_inputs.items():
        if isinstance(box, ir.TensorBox):
            x = next(left)
            length = x.untyped_storage().nbytes() // x.itemsize - x.storage_offset()
            numbers.memory[name_] = x.as_strided((length,), (1,)).clone()
            numbers.sizes.update((s, n) for s, n in zip(box.get_size(), x.shape, strict=True) if s.is_Symbol)
    for operation in graph.operations:
        layout = operation.get_layout()
        numbers.memory[operation.name] = torch.zeros(
            numbers.number(layout.storage_size()), dtype=layout.dtype
        )
        if isinstance(operation, ir.ComputedBuffer):
            with V.set_graph_handler(graph), V.set_ops_handler(numbers):
                fill(operation, numbers)
        elif name(operation) == "ExternKernelOut extern_kernels.mm":
            first, second = (strided(source, numbers) for source in operation.inputs)
            torch.mm(first, second, out=strided(operation, numbers))
        else:
            raise NotImplementedError(name(operation))
    return [strided(output, numbers) for output in graph.graph_outputs]


STEPS: list[Callable[[Tensor], Tensor]] = [
    torch.sin,
    torch.exp,
    torch.sigmoid,
    torch.nn.functional.silu,
    torch.t,
    lambda x: x.flip(0),
    lambda x: x.roll(1, 1),
    lambda x: x[1:].sum(0, keepdim=True) - x,
    lambda x: x - x.mean(1, keepdim=True),
    lambda x: x.softmax(0),
    lambda x: x * (x > 0),
    lambda x: x.clamp(max=0.5).t() + 1,
    lambda x: x.tanh() @ x,
    lambda x: x.unflatten(0, (-1, 1)).transpose(1, 2).reshape(x.shape),
    lambda x: x.amax(1) * x,
    lambda x: torch.where(x > x.t(), x, -x),
]


def generated(seed: int, length: int = 4) -> Callable[[Tensor], Tensor]:
    """A function of so many steps, drawn."""
    steps = random.Random(seed).choices(STEPS, k=length)
    return lambda x: functools.reduce(lambda value, step: step(value), steps, x)


if __name__ == "__main__":
    x = torch.linspace(-1, 1, 81).reshape(9, 9)
    functions = [generated(seed) for seed in range(10)]
    found = lower(lambda x: tuple(function(x) for function in functions), x)
    print(*(f"{kind}: {count}" for kind, count in Counter(found.names()).items()), sep="\n")
    pairs = zip(interpret(found, x), functions, strict=True)
    print(
        "as eager mode:", sum(torch.allclose(ours, f(x), atol=1e-4, rtol=1e-4) for ours, f in pairs), "of 10"
    )
