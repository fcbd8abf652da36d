"""What checkpointing saves and costs, on a small Transformer: bytes held, peak of bytes, processor time.

Bytes are those of every storage that an operator creates, from its creation until nothing refers to it. Two
numbers are read: what is alive between forward and backward, and the highest point of the whole step. Weights
and the batch exist before the count begins, so they are not in it; kernels' scratch memory never is.
"""

import time
import weakref
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

BLOCKS, WIDTH, BATCH, TOKENS = 16, 128, 4, 128
ROUNDS = 9


# region count
class LiveBytes(TorchDispatchMode):
    """Counts the bytes of the storages made by operators, while they live."""

    def __init__(self, ignore: list[Tensor]) -> None:
        super().__init__()
        self.now = self.peak = 0
        self.known = weakref.WeakSet(tensor.untyped_storage() for tensor in ignore)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        outputs = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(outputs):
            if isinstance(tensor, Tensor) and tensor.untyped_storage() not in self.known:
                self.track(tensor.untyped_storage())
        return outputs

    def track(self, storage: torch.UntypedStorage) -> None:
        size = storage.nbytes()
        self.known.add(storage)
        self.now += size
        self.peak = max(self.peak, self.now)
        weakref.finalize(storage, self.release, size)

    def release(self, size: int) -> None:
        self.now -= size


# endregion


# region step
Forward = Callable[[nn.Sequential, Tensor], Tensor]


def plain(blocks: nn.Sequential, x: Tensor) -> Tensor:
    return blocks(x)


def in_groups(size: int, blocks: nn.Sequential, x: Tensor, **options) -> Tensor:
    """One checkpoint for every `size` blocks."""
    for first in range(0, len(blocks), size):
        x = checkpoint(blocks[first : first + size], x, use_reentrant=False, **options)
    return x


PRODUCTS = [torch.ops.aten.mm.default, torch.ops.aten.addmm.default]


def keeping(operators: list, blocks: nn.Sequential, x: Tensor) -> Tensor:
    """One checkpoint a block, in which what these operators return is kept and not computed again."""
    return in_groups(1, blocks, x, context_fn=partial(create_selective_checkpoint_contexts, operators))


def make() -> tuple[nn.Sequential, Tensor]:
    torch.manual_seed(0)
    blocks = nn.Sequential(
        *(nn.TransformerEncoderLayer(WIDTH, 4, 4 * WIDTH, 0.0, batch_first=True) for _ in range(BLOCKS))
    )
    return blocks, torch.randn(BATCH, TOKENS, WIDTH, requires_grad=True)


# endregion


def bytes_of(forward: Forward) -> tuple[int, int]:
    """Bytes alive between forward and backward, and the step's peak."""
    blocks, x = make()
    forward(blocks, x).sum().backward()  # gradients are allocated here, and stay
    grads = [tensor.grad for tensor in (x, *blocks.parameters())]
    with LiveBytes([x, *blocks.parameters(), *grads]) as count:
        loss = forward(blocks, x).sum()
        held = count.now
        loss.backward()
    return held, count.peak


def seconds(forwards: dict[str, Forward]) -> dict[str, float]:
    """Least processor time of a step for each, on one thread, the rounds interleaved.

    Processor time, since another program on the machine must not count; the least, since it may still get in
    the way of the caches.
    """
    torch.set_num_threads(1)
    blocks, x = make()
    times: dict[str, list[float]] = {name: [] for name in forwards}
    for round_ in range(ROUNDS + 1):
        for name, forward in forwards.items():
            start = time.process_time()
            forward(blocks, x).sum().backward()
            if round_:  # the first round warms up
                times[name].append(time.process_time() - start)
    return {name: min(values) for name, values in times.items()}


def measure() -> dict[str, float]:
    """Ratios to the plain step: bytes held, peak of bytes, processor time."""
    forwards: dict[str, Forward] = {
        "plain": plain,
        "each": partial(in_groups, 1),
        "four": partial(in_groups, 4),
        "all": partial(in_groups, BLOCKS),
        "products": partial(keeping, PRODUCTS),
        "nothing": partial(keeping, []),
    }
    size = {name: bytes_of(forward) for name, forward in forwards.items()}
    spent = seconds(forwards)
    results: dict[str, float] = {}
    for name in list(forwards)[1:]:
        results[f"{name}_held"] = size[name][0] / size["plain"][0]
        results[f"{name}_peak"] = size[name][1] / size["plain"][1]
        results[f"{name}_time"] = spent[name] / spent["plain"]
    return results


if __name__ == "__main__":
    held, peak = bytes_of(plain)
    print("plain step: the peak stands above what is held after forward:", peak > held)
    for name, forward in (
        ("one checkpoint a block", partial(in_groups, 1)),
        ("one for all", partial(in_groups, BLOCKS)),
    ):
        less_held, lower_peak = bytes_of(forward)
        print(f"{name}: holds less {less_held < held}, peaks lower {lower_peak < peak}")
