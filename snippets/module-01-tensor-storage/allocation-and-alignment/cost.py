"""What new memory, an odd address and a lazy copy cost, and whether the address is seen in the result."""

import ctypes
import time
from collections.abc import Callable

import torch

MIB = 2**18  # float32 numbers


# region time
def seconds(*calls: Callable[[], object]) -> list[float]:
    """The least time of each of the calls, taken in turn."""
    rounds = []
    for _ in range(25):
        times = []
        for call in calls:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        rounds.append(times)
    return [min(column) for column in zip(*rounds, strict=True)]


def many(call: Callable[[], object], times: int) -> Callable[[], None]:
    def calls() -> None:
        for _ in range(times):
            call()

    return calls


# endregion


# region placed
def placed(values: torch.Tensor, offset: int) -> torch.Tensor:
    """The same values at an address that is so many bytes behind a multiple of 64."""
    memory = torch.empty(values.nbytes + 128, dtype=torch.uint8)
    begin = -memory.data_ptr() % 64 + offset
    return memory[begin : begin + values.nbytes].view(values.dtype).view(values.shape).copy_(values)


def others(run: Callable, offset: int) -> float:
    """The share of 100 cases for which the result has other bits than at a multiple of 64."""
    torch.manual_seed(0)
    found = 0
    for size in range(200, 300):
        left, right = torch.randn(size), torch.randn(size)
        found += not torch.equal(
            run(placed(left, 0), placed(right, 0)), run(placed(left, offset), placed(right, offset))
        )
    return found / 100


# endregion


def written(x: torch.Tensor) -> None:
    torch._lazy_clone(x)[:1].fill_(0)


# region fresh
def fresh(size: int) -> float:
    """The time of an addition into new memory over that of one into old, for so many MiB."""
    x, out = torch.ones(size * MIB), torch.ones(size * MIB)
    new, old = seconds(lambda: x + x, lambda: torch.add(x, x, out=out))
    return new / old


def keep_large_blocks() -> None:
    """Tell the C library to take no block from the system by itself, and to give none back."""
    library, mmap_max, trim_threshold = ctypes.CDLL(None), -4, -1
    assert library.mallopt(mmap_max, 0) and library.mallopt(trim_threshold, 2**31 - 1)


# endregion


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    found = {f"fresh_{size}": fresh(size) for size in (1, 16, 64)}
    for name, size in ("16K", MIB // 64), ("1M", MIB):
        aligned, odd = (
            [placed(torch.ones(size), offset), placed(torch.ones(size), offset)] for offset in (0, 4)
        )
        even, uneven = seconds(
            many(lambda pair=aligned: torch.add(pair[0], pair[0], out=pair[1]), 2**22 // size),
            many(lambda pair=odd: torch.add(pair[0], pair[0], out=pair[1]), 2**22 // size),
        )
        found[f"odd_{name}"] = uneven / even
    x = torch.ones(MIB)
    clone, lazy, lazy_written = seconds(
        many(x.clone, 20), many(lambda: torch._lazy_clone(x), 20), many(lambda: written(x), 20)
    )
    found |= {"clone_over_lazy": clone / lazy, "written_over_clone": lazy_written / clone}
    for offset in 4, 16, 32:
        found[f"dot_{offset}"] = others(torch.dot, offset)
    found["mv_4"] = others(lambda left, right: torch.mv(left.expand(2, -1), right), 4)
    found["add_4"] = others(torch.add, 4)
    found["sum_4"] = others(lambda left, right: (left * right).sum(), 4)
    keep_large_blocks()
    return found | {"kept_64": fresh(64)}


if __name__ == "__main__":
    print(measure())
