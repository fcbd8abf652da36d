"""Plain layers under DDP, and notes of what happens to their gradients, in the order in which it happens."""

import tempfile

import torch
import torch._dynamo  # DDP reads a setting of it; ranks that are forked have it already
from torch import Tensor, distributed, nn
from torch.distributed import GradBucket
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.futures import Future
from torch.nn.parallel import DistributedDataParallel

#: The bytes of one layer's weight, for `bucket_cap_mb`: 8 by 8 numbers of 4 bytes.
LAYER = 8 * 8 * 4 / (1 << 20)


class Layers(nn.Module):
    """Layers without biases, used in their order, or in another one."""

    def __init__(self, count: int = 4, width: int = 8) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(count))

    def forward(self, x: Tensor, order: str = "") -> Tensor:
        for name in order or map(str, range(len(self.layers))):
            x = self.layers[int(name)](x)
        return x


def watched(model: Layers, **options) -> tuple[DistributedDataParallel, list[str]]:
    """The model under DDP, and its notes: `3` when layer 3 has its gradient, `[32]` when a bucket is sent."""
    ddp, notes = DistributedDataParallel(model, **options), []
    names = {layer.weight: str(number) for number, layer in enumerate(model.layers)}

    def send(state: object, bucket: GradBucket) -> Future[Tensor]:
        notes.append("[" + "".join(names[weight] for weight in bucket.parameters()) + "]")
        return allreduce_hook(state, bucket)  # what DDP does where there is no hook

    ddp.register_comm_hook(None, send)
    for weight in names:
        weight.register_post_accumulate_grad_hook(lambda weight: notes.append(names[weight]))
    return ddp, notes


def told(notes: list[str]) -> str:
    """The notes since the last time."""
    line = " ".join(notes)
    notes.clear()
    return line


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
        ddp, notes = watched(Layers())
        for _ in range(2):
            ddp(torch.ones(1, 8)).sum().backward()
            print(told(notes))
        distributed.destroy_process_group()
