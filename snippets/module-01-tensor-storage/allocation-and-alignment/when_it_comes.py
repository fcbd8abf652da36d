"""How much of a tensor's memory the process has: when it was made, when it was read, when it was written."""

import ctypes
import resource
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

# region tensors
NUMBERS = 2**24  # 64 MiB of float32
source = torch.ones(NUMBERS, device="cpu")
file = tempfile.NamedTemporaryFile()  # noqa: SIM115
Path(file.name).write_bytes(bytes(4 * NUMBERS))

MADE: dict[str, Callable[[], torch.Tensor]] = {
    "empty": lambda: torch.empty(NUMBERS, device="cpu"),
    "empty_like": lambda: torch.empty_like(source),
    "zeros": lambda: torch.zeros(NUMBERS, device="cpu"),
    "from_numpy(np.zeros)": lambda: torch.from_numpy(np.zeros(NUMBERS, dtype=np.float32)),
    "clone": lambda: source.clone(),
    "_lazy_clone": lambda: torch._lazy_clone(source),
    "from_file": lambda: torch.from_file(file.name, shared=False, size=NUMBERS),
    "empty.share_memory_": lambda: torch.empty(NUMBERS, device="cpu").share_memory_(),
}
# endregion


# region resident
def resident() -> int:
    """The bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def when(make: Callable[[], torch.Tensor]) -> list[int]:
    """The memory that came with each of the three, as a multiple of the tensor's."""
    marks = [resident()]
    tensor = make()
    marks.append(resident())
    tensor.sum()
    marks.append(resident())
    tensor.fill_(1)
    marks.append(resident())
    return [round((later - first) / tensor.nbytes) for first, later in pairwise(marks)]


# endregion

if __name__ == "__main__":
    torch.ones(2**16, device="cpu").sum()  # the threads have started
    print("how  made  read  written")
    for how, make in MADE.items():
        print(how, *when(make), sep="  ")
    mmap_max, trim_threshold = -4, -1  # the C library shall take its blocks from the heap, and keep them
    library = ctypes.CDLL(None)
    assert library.mallopt(mmap_max, 0) and library.mallopt(trim_threshold, 2**31 - 1)
    torch.ones(NUMBERS + 2**16, device="cpu")  # dropped at once, and a little larger
    print("empty, kept memory", *when(MADE["empty"]), sep="  ")
