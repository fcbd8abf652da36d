"""What a sum costs by the length of its inner loop, by layout, by type, and with two threads."""

import ctypes
import time
from collections.abc import Callable

import torch

NUMBERS = 2**18  # of float32, in each large operand
INNER = (2, 3, 4, 8, 12, 15, 16, 17, 24, 31, 32, 48, 64, 128, 256, 512, 1024)


# region time
def seconds(*calls: Callable[[], object]) -> list[float]:
    """The least time of each of the calls, taken in turn."""
    best = [float("inf")] * len(calls)
    for _ in range(300):
        for place, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[place] = min(best[place], time.perf_counter() - start)
    return best


# endregion


# region inner
def by_inner_length(k: int) -> dict[str, float]:
    """Over the sum of two tensors alike: plus one row for all rows, and plus one number for each row."""
    a, out = torch.ones(NUMBERS // k, k), torch.empty(NUMBERS // k, k)
    row, column = torch.ones(k), torch.ones(NUMBERS // k, 1)
    alike, plus_row, plus_column = seconds(
        lambda: torch.add(a, a, out=out),
        lambda: torch.add(a, row, out=out),
        lambda: torch.add(a, column, out=out),
    )
    return {f"{k}/plus a row": plus_row / alike, f"{k}/plus a column": plus_column / alike}


# endregion


# region others
def others() -> dict[str, float]:
    """Over the sum of two tensors alike, 500 by 500."""
    x, out, double = torch.ones(500, 500), torch.empty(500, 500), torch.ones(500, 500, dtype=torch.float64)
    row, whole = torch.ones(500), torch.ones(500, 1, dtype=torch.int64)
    ways = {
        "alike": lambda: torch.add(x, x, out=out),
        "transposed_both": lambda: torch.add(x.t(), x.t(), out=out.t()),
        "transposed_one": lambda: torch.add(x, x.t(), out=out),
        "contiguous_first": lambda: torch.add(x, x.t().contiguous(), out=out),
        "stretched": lambda: torch.add(x, row, out=out),
        "repeated": lambda: torch.add(x, row.repeat(500, 1), out=out),
        "whole_column": lambda: torch.add(x, whole, out=out),
        "whole_expanded": lambda: torch.add(x, whole.expand(500, 500), out=out),
        "in_place_double": lambda: out.add_(double),
    }
    times = dict(zip(ways, seconds(*ways.values()), strict=True))
    found = {name: time / times["alike"] for name, time in times.items() if name != "alike"}
    x, out = torch.ones(512, 512), torch.empty(512, 512)
    alike, one = seconds(lambda: torch.add(x, x, out=out), lambda: torch.add(x, x.t(), out=out))
    return found | {"transposed_one_512": one / alike}


# endregion


# region threads
def with_two_threads(operator: Callable, size: int) -> float:
    """The time on one thread over that on two."""
    x, out = torch.rand(size), torch.empty(size)

    def many(threads: int) -> Callable[[], None]:
        def calls() -> None:
            torch.set_num_threads(threads)
            for _ in range(max(1, 2**20 // size)):
                operator(x, out=out)

        return calls

    one, two = seconds(many(1), many(2))
    torch.set_num_threads(1)
    return one / two


# endregion


def doubled(x: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    return torch.add(x, x, out=out)


def keep_large_blocks() -> None:
    """Tell the C library to take no block from the system by itself, and to give none back."""
    library, mmap_max, trim_threshold = ctypes.CDLL(None), -4, -1
    assert library.mallopt(mmap_max, 0) and library.mallopt(trim_threshold, 2**31 - 1)


def measure() -> dict[str, float]:
    keep_large_blocks()
    torch.set_num_threads(1)
    found = {name: value for k in INNER for name, value in by_inner_length(k).items()} | others()
    for name, operator in {"add": doubled, "sigmoid": torch.sigmoid}.items():
        for size in 32769, 2**20:
            found[f"threads_{name}_{size}"] = with_two_threads(operator, size)
    return found


if __name__ == "__main__":
    print(measure())
