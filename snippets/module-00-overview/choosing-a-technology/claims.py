"""What becomes of writes to tensors in four captures of a module."""

import warnings
from collections.abc import Callable
from itertools import product

import torch
from inside_torch.claims import counted
from torch import Tensor, nn

WAYS: dict[str, Callable] = {
    "compile": lambda module, x: torch.compile(module, backend="eager", fullgraph=True),
    "fx": lambda module, x: torch.fx.symbolic_trace(module),
    "jit.trace": lambda module, x: torch.jit.trace(module, x, check_trace=False),
    "export": lambda module, x: torch.export.export(module, (x,)).module(),
}
outside = torch.zeros(1)

WRITES: dict[str, Callable[["Writer", Tensor], object]] = {
    "x.add_(1)": lambda module, x: x.add_(1),
    "buffer.add_(1)": lambda module, x: module.buffer.add_(1),
    "buffer.add_(x)": lambda module, x: module.buffer.add_(x),
    "buffer = buffer + 1": lambda module, x: setattr(module, "buffer", module.buffer + 1),
    "buffer = buffer + x": lambda module, x: setattr(module, "buffer", module.buffer + x),
    "global.add_(1)": lambda module, x: outside.add_(1),
    "global.add_(x)": lambda module, x: outside.add_(x),
    "x.data = x + 1": lambda module, x: setattr(x, "data", x + 1),
}


class Writer(nn.Module):
    """Writes, and returns something else."""

    buffer: Tensor

    def __init__(self, write: str) -> None:
        super().__init__()
        self.write = write
        self.register_buffer("buffer", torch.zeros(1))

    def forward(self, x: Tensor) -> Tensor:
        WRITES[self.write](self, x)
        return x + 0


def kept() -> list[str]:
    """Two ways, with each write but one, which only the first keeps."""
    pairs = [f"{way}: {write}" for way, write in product(("compile", "export"), WRITES)]
    return [pair for pair in pairs if pair != "export: x.data = x + 1"]


def lost() -> list[str]:
    """The other two, with some, and that one."""
    assigned = [f"{way}: buffer = buffer + {what}" for way, what in product(("fx", "jit.trace"), "1x")]
    added = ["fx: buffer.add_(1)", "jit.trace: global.add_(1)", "jit.trace: global.add_(x)"]
    return [*assigned, *added, "export: x.data = x + 1"]


def numbers(captured: nn.Module, x: Tensor) -> list[float]:
    """What may have been written."""
    return [tensor.item() for tensor in (x, outside, *captured.buffers())]


def captured_writes(name: str) -> bool:
    """Whether a call of what is captured writes."""
    way, write = name.split(": ")
    module, x = Writer(write), torch.ones(1)
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        captured = WAYS[way](module, torch.ones(1))
        before = numbers(captured, x)
        captured(x)
    return before != numbers(captured, x)


@counted(kept, planted="fx: buffer.add_(1)")
def write_is_kept(name: str) -> bool:
    """`compile` and `export` add to the input, a buffer or a global tensor, or assign to a buffer."""
    return captured_writes(name)


@counted(lost, planted="fx: buffer.add_(x)")
def write_is_lost(name: str) -> bool:
    """What FX or `jit.trace` captures does not assign to a buffer, nor `export`'s to the input's `data`."""
    return not captured_writes(name)
