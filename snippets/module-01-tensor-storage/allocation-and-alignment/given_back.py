"""How much of their memory a process keeps when it has dropped its tensors."""

import ctypes
import resource
from pathlib import Path

import torch

TOTAL = 5 * 2**26  # bytes of numbers, in each case


# region drop
def resident() -> int:
    """The bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def kept(size: int, keep_last: bool) -> list[str]:
    """What is in memory of blocks of that size: while they live, when they are dropped, and after a trim."""
    trim = ctypes.CDLL(None).malloc_trim
    trim(0)  # of the case before
    before = resident()
    tensors = [torch.ones(size // 4, device="cpu") for _ in range(TOTAL // size)]
    marks = [resident() - before]
    last = tensors[-1] if keep_last else None
    del tensors
    marks.append(resident() - before)
    trim(0)
    marks.append(resident() - before)
    del last
    return [f"{round(10 * mark / TOTAL) / 10:5.1f}" for mark in marks]


# endregion

if __name__ == "__main__":
    torch.ones(2**16, device="cpu").sum()  # the threads have started
    print("blocks of        live  dropped  trimmed")
    for size in 2**26, 5 * 2**22, 2**12:
        for keep_last in False, True:
            name = f"{size} bytes" + (", the last one kept" if keep_last else "")
            print(f"{name:31}", *kept(size, keep_last), sep="  ")
