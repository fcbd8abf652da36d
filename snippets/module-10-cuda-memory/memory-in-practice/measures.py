"""The peak of a training step on a GPU, in MiB, with one measure after the other, for two sizes of batch."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

import torch
from inside_torch.dry import is_dry
from torch import Tensor, nn
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

MIB = 1 << 20
BLOCKS, WIDTH = 8, 1024

Forward = Callable[[nn.Sequential, Tensor], Tensor]


# region step
class Training:
    """Eight blocks, an optimizer, a batch, and the gradient that a loss would send back."""

    def __init__(
        self, size: int, activation: Callable[[], nn.Module] = nn.GELU, way: str = "foreach"
    ) -> None:
        blocks = (nn.Sequential(nn.Linear(WIDTH, WIDTH, bias=False), activation()) for _ in range(BLOCKS))
        self.net = nn.Sequential(*blocks).cuda()
        self.batch, self.gradient = (torch.zeros(size, WIDTH, device="cuda") for _ in range(2))
        weights = list(self.net.parameters())
        if way == "SGD":
            self.optimizers = [torch.optim.SGD(weights, lr=0.1)]
        elif way == "in the backward":
            self.optimizers = []  # none for the step: each weight has one of its own
            for weight in weights:
                weight.register_post_accumulate_grad_hook(
                    partial(step_one, torch.optim.AdamW([weight], fused=True))
                )
        else:
            self.optimizers = [torch.optim.AdamW(weights, foreach=way == "foreach", fused=way == "fused")]

    def step(self, forward: Forward, parts: int = 1, to_none: bool = True) -> Iterator[str]:
        """One step; it stops after each phase and tells which it was."""
        self.net.zero_grad(set_to_none=to_none)
        for batch, gradient in zip(self.batch.chunk(parts), self.gradient.chunk(parts), strict=True):
            output = forward(self.net, batch)
            yield "forward"
            output.backward(gradient)
            del output
            yield "backward"
        for optimizer in self.optimizers:
            optimizer.step()
        yield "step"


def step_one(optimizer: torch.optim.Optimizer, weight: Tensor) -> None:
    optimizer.step()
    weight.grad = None


# endregion


# region ways
def plain(net: nn.Sequential, batch: Tensor) -> Tensor:
    return net(batch)


def in_checkpoints(blocks: int, net: nn.Sequential, batch: Tensor) -> Tensor:
    """One checkpoint around so many blocks."""
    for first in range(0, BLOCKS, blocks):
        batch = checkpoint(net[first : first + blocks], batch, use_reentrant=False)
    return batch


def offloaded(forward: Forward, net: nn.Sequential, batch: Tensor) -> Tensor:
    with save_on_cpu(pin_memory=True):
        return forward(net, batch)


# endregion


# region peak
def peak(size: int, forward: Forward = plain, parts: int = 1, to_none: bool = True, **options) -> str:
    """The peak of a third step, with all that the training has, and the phase in which it was."""
    before = torch.cuda.memory_allocated()
    training = Training(size, **options)
    for _ in range(2):
        list(training.step(forward, parts, to_none))
    peaks: dict[str, int] = {}
    torch.cuda.reset_peak_memory_stats()
    for phase in training.step(forward, parts, to_none):
        peaks[phase] = max(peaks.get(phase, 0), torch.cuda.max_memory_allocated() - before)
        torch.cuda.reset_peak_memory_stats()
    phase = max(peaks, key=lambda phase: peaks[phase])
    return f"{peaks[phase] / MIB:4.0f} {phase:8}"


# endregion

MEASURES = {
    "as it is": {},
    "gradients zeroed, not dropped": {"to_none": False},
    "AdamW by the loop": {"way": "loop"},
    "AdamW fused": {"way": "fused"},
    "stepped in the backward": {"way": "in the backward"},
    "SGD": {"way": "SGD"},
    "the batch in two parts": {"parts": 2},
    "ReLU for GELU": {"activation": nn.ReLU},
    "ReLU in place": {"activation": partial(nn.ReLU, inplace=True)},
    "one checkpoint around all": {"forward": partial(in_checkpoints, 8)},
    "checkpoints around four": {"forward": partial(in_checkpoints, 4)},
    "checkpoints around two": {"forward": partial(in_checkpoints, 2)},
    "checkpoints around each": {"forward": partial(in_checkpoints, 1)},
    "save_on_cpu": {"forward": partial(offloaded, plain)},
    "save_on_cpu around checkpoints": {"forward": partial(offloaded, partial(in_checkpoints, 1))},
    "save_on_cpu, and in the backward": {"forward": partial(offloaded, plain), "way": "in the backward"},
    "around two, and in the backward": {"forward": partial(in_checkpoints, 2), "way": "in the backward"},
}


def main() -> None:
    list(Training(8).step(plain))  # cuBLAS has its workspaces from here on
    print(f"{'MiB at the peak, and when':34}{'4096 rows':15}256 rows")
    for name, measure in MEASURES.items():
        print(f"{name:34}{peak(4096, **measure)}  {peak(256, **measure)}".rstrip())


if __name__ == "__main__":
    if is_dry() and os.environ["DRY_GPU_VALUES"] == "refuse":
        # Tensors are copied to the host and back. Nobody looks at them; so let them be zeros.
        subprocess.run([sys.executable, __file__], env=os.environ | {"DRY_GPU_VALUES": "zeros"}, check=True)
    else:
        main()
