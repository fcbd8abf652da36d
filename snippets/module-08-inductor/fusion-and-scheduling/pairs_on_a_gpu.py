"""The same pairs of kinds, scheduled for a GPU, and some that take a setting."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
from pairs import tables
from scheduled import inputs, scheduled


# region cases
def turned(x):
    return x * 2, x.t().contiguous()


def rows_and_columns(x):
    return x.sum(1), x.sum(0)


def mixed(x):
    return x.amax(1) * 2, x.sum(0)


def twenty(x):
    return tuple(x + number for number in range(20))


def for_each(x):
    return torch._foreach_add([x, x[:16, :16]], 1)


def three_lists(x):
    matrices = [x, x[:16, :16]]
    return [each for factor in range(2, 5) for each in torch._foreach_mul(matrices, factor)]


def cases(device: str) -> None:
    """Prints how many nodes there are, and what they become."""
    small, large = inputs(device)[0], torch.empty(16384, 512, device=device)
    for function, x, options in [
        (turned, small, {}),
        (turned, small, {"loop_ordering_after_fusion": False}),
        (rows_and_columns, small, {}),
        (rows_and_columns, large, {}),
        (rows_and_columns, large, {"triton.mix_order_reduction": False}),
        (mixed, large, {"max_fusion_size": 2}),
        (twenty, small, {}),
        (for_each, small, {}),
        (three_lists, small, {}),
        (three_lists, small, {"max_fusion_size": 2}),
    ]:
        run = scheduled(function, x, **options)
        kinds = sorted({kind for kind, names in zip(run.kinds, run.after, strict=True) if len(names) > 1})
        sizes = [len(names) for names in run.after]
        print(f"{function.__name__:16} {'x'.join(map(str, x.shape)):9} {sizes!s:9}", *kinds, *options)


# endregion

if __name__ == "__main__":
    tables("cuda")
    print()
    cases("cuda")
