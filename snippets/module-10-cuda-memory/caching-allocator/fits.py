"""Best fit and first fit, asked for the same: how much they take from the driver."""

import random

from simulator import Allocator, Block, MiB, Order, best_fit, first_fit


# region programs
def any_size(luck: random.Random) -> int:
    """From 1 MiB to 128 MiB, small ones more often."""
    return int(MiB * 2 ** luck.uniform(0, 7))


def few_sizes(luck: random.Random) -> int:
    return luck.choice([11, 20, 40, 64, 100]) * MiB


def small_sizes(luck: random.Random) -> int:
    """From 1 KiB to about half a MiB."""
    return (512 << luck.randrange(11)) + 512


def peak(seed: int, size, order: Order) -> int:
    """The most that is reserved while 200 tensors come, about 15 at a time, and go in any order."""
    luck, allocator, live = random.Random(seed), Allocator(1 << 50, order), list[Block]()
    most = 0
    for _ in range(200):
        while luck.random() < len(live) / 30:
            allocator.free(live.pop(luck.randrange(len(live))))
        live.append(allocator.malloc(size(luck)))
        most = max(most, allocator.reserved)
    return most


# endregion


def main() -> None:
    print(f"{'100 programs each':20}{'less':>6}{'same':>6}{'more':>6}   first fit took")
    for size in any_size, few_sizes, small_sizes:
        pairs = [(peak(seed, size, best_fit), peak(seed, size, first_fit)) for seed in range(100)]
        less, more = sum(best < first for best, first in pairs), sum(best > first for best, first in pairs)
        ratio = sum(first for _, first in pairs) / sum(best for best, _ in pairs)
        print(f"{size.__name__:20}{less:6}{100 - less - more:6}{more:6}   {ratio:.2f} of best fit")


if __name__ == "__main__":
    main()
