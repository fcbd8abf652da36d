"""What the call of an operator costs beside its computation: one number, so that little else is measured."""

import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.utils.cpp_extension import load

# With optimisation, as an installed extension has it.
load(
    name="book_smooth_abs_fast",
    sources=[str(Path(__file__).with_name("smooth_abs") / "csrc" / "smooth_abs.cpp")],
    extra_cflags=["-O2"],
    is_python_module=False,
)


# region ways
def composed(x: Tensor, eps: float = 1e-3) -> Tensor:
    return (x * x + eps * eps).sqrt()


in_python = torch.library.custom_op("book::composed", composed, mutates_args=())
in_python.register_autograd(
    lambda ctx, grad: (grad * ctx.saved_tensors[0] / ctx.saved_tensors[1], None),
    setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[0], output),
)
WAYS = {
    "composed": composed,
    "in_python": in_python,
    "in_cpp": torch.ops.book.smooth_abs,
}
# endregion


# region time
def best(work: Callable[[], object], calls: int = 300) -> float:
    """Seconds for a number of calls."""
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return time.perf_counter() - start


def measure() -> dict[str, float]:
    x = torch.ones(1, requires_grad=True)
    plain = x.detach()
    kinds = {
        "forward": lambda way: lambda: way(plain),
        "step": lambda way: lambda: way(x).backward(),
    }
    found = {}
    for kind, of in kinds.items():
        # Interleaved, and the least of many, so that what else the machine does falls on all alike.
        rounds = [{name: best(of(way)) for name, way in WAYS.items()} for _ in range(15)]
        least = {name: min(times[name] for times in rounds) for name in WAYS}
        found |= {f"{name}_{kind}": least[name] / least["composed"] for name in WAYS if name != "composed"}
    return found


# endregion


if __name__ == "__main__":
    print(measure())
