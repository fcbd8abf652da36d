"""`torch.compile` on the chip: the two backends that run its own kernels, and what Inductor says."""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus


def f(x: torch.Tensor) -> torch.Tensor:
    return (x + x).relu().sum()


x = torch.linspace(-1, 1, 8, device="cpu").to("abacus").requires_grad_()

for backend in "eager", "aot_eager", "inductor":
    torch._dynamo.reset()
    abacus.fallbacks()
    x.grad = None
    try:
        y = torch.compile(f, backend=backend, fullgraph=True)(x)
        y.backward()
        print(
            backend,
            y.item(),
            x.grad.tolist() == (x > 0).float().mul(2).tolist(),
            "add" in str(abacus.fallbacks()),
        )
    except Exception as error:
        print(backend, type(error).__name__, str(error).partition("\n")[0])
time.sleep(0.5)  # the engine's thread for the chip lets go of its last task with the GIL, which must be there
