"""A function for each reason that the scheduler's log gives on a CPU."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
from scheduled import kept, scheduled

matrices = [torch.ones(32, 32) for _ in range(3)]


# region functions
def index(x, y, z):
    return x.sum(0), x.sum(1)


def threshold(x, y, one):
    return x[:16] * one, x[16:] * one


def mismatch(x, y, z):
    a = kept(x.sin())
    return a + a[0]


def between(x, y, z):
    a = kept(x.sin())
    return a.sum(1, keepdim=True) + a


def turned_round(x, y, z):
    p, s = x.sin(), z.cos()
    return p @ y * z, s @ y * x


def memory(x, y, row):
    return x @ y * row, y @ x * row


def chain(x, y, z):
    for _ in range(5):
        x = kept(x.sin())
    return x


def far(x, y, z):
    a = x
    for _ in range(64):
        a = a @ y
    return x + 1, a, x * 2


# endregion

if __name__ == "__main__":
    wide = [torch.ones(256, 256), torch.ones(256, 256), torch.ones(256)]
    for function, arguments, options in [
        (index, matrices, {}),
        (threshold, [*matrices[:2], torch.ones(1)], {}),
        (mismatch, matrices, {}),
        (between, matrices, {}),
        (turned_round, matrices, {}),
        (memory, wide, {}),
        (chain, matrices, {"max_fusion_size": 4}),
        (far, matrices, {}),
    ]:
        run = scheduled(function, *arguments, **options)
        groups = [group for group in run.after if len(group) > 1]
        print(f"{function.__name__}: {len(run.before)} nodes, fused {groups}")
        for text in dict.fromkeys(run.refused):
            print("   ", text)
