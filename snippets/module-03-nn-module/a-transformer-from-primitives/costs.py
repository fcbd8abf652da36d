"""What each layer of a block costs, in operations and bytes, for a whole sequence and for one more token."""

from collections.abc import Callable
from typing import Any

import torch
from decoder import Block, by_hand, fused
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode, sdpa_flop_count

WIDTH, HEADS, LENGTH = 64, 4, 256


# region count
def tensors(tree: Any) -> list[Tensor]:
    return [each for each in tree_leaves(tree) if isinstance(each, Tensor)]


class Bytes(TorchDispatchMode):
    """Adds up the bytes of what each operator is given and returns; a view counts nothing."""

    total = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given, made = tensors((args, kwargs)), tensors(result)
        storages, others = ({each.untyped_storage().data_ptr() for each in side} for side in (given, made))
        if not storages & others:
            self.total += sum(each.nbytes for each in given + made)
        return result


def on_the_cpu(query: Any, key: Any, value: Any, *args: Any, **kwargs: Any) -> int:
    """The formula that the counter lacks; like those that it has, it knows nothing of the mask."""
    return sdpa_flop_count(query, key, value)


MISSING = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: on_the_cpu}


def cost(call: Callable[[], Tensor]) -> tuple[int, int]:
    """Operations in products, and bytes, of one call."""
    with torch.no_grad():
        with FlopCounterMode(display=False, custom_mapping=MISSING) as flops:
            call()
        with Bytes() as moved:
            call()
    return flops.get_total_flops(), moved.total


# endregion


# region layers
def layers(width: int, heads: int, new: int, total: int) -> dict[str, Callable[[], Tensor]]:
    """The steps of a block by themselves, for `new` tokens of `total`, the rest being in a cache."""
    block = Block(width, heads)
    x, y, wide = torch.randn(1, new, width), torch.randn(1, new, width), torch.randn(1, new, 4 * width)
    q, k, v = block.attention.split(torch.randn(1, total, width))
    if new < total:  # the cache is the result of a `cat`
        q, k, v = q[:, :, -new:], k.contiguous(), v.contiguous()
    return {
        "norm": lambda: block.norm1(x),
        "qkv": lambda: block.attention.qkv(x),
        "by hand": lambda: by_hand(q, k, v),
        "fused": lambda: fused(q, k, v),
        "out": lambda: block.attention.out(x),
        "up": lambda: block.up(x),
        "gelu": lambda: F.gelu(wide),
        "down": lambda: block.down(wide),
        "add": lambda: x + y,
    }


# endregion


if __name__ == "__main__":
    print(f"width {WIDTH}, {HEADS} heads, {LENGTH} tokens")
    print(f"{'':8} {'a whole sequence':>28}   {'one more token':>28}")
    print(f"{'':8} {'FLOP':>11} {'bytes':>9} {'ratio':>6}   {'FLOP':>11} {'bytes':>9} {'ratio':>6}")
    sides = [(new, layers(WIDTH, HEADS, new, LENGTH)) for new in (LENGTH, 1)]
    counted = {new: {name: cost(call) for name, call in side.items()} for new, side in sides}
    for name in counted[1]:
        line = f"{name:8}"
        for side in counted.values():
            flops, moved = side[name]
            line += f" {flops:11} {moved:9} {flops / moved:6.1f}  "
        print(line.rstrip())
    for new, side in counted.items():
        together = sum(flops for name, (flops, _) in side.items() if name != "by hand")
        formula = 24 * new * WIDTH**2 + 4 * new * LENGTH * WIDTH
        print(f"{new:3} new tokens of {LENGTH}: {together} counted, {formula} by the formula")
