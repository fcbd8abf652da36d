"""The chip wants 32 bytes: what the allocator promises, what a view takes away, who may read the memory."""

import ctypes
import itertools
import os
import signal
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus

# region blocks
blocks = [torch.empty(n, dtype=torch.uint8, device="abacus") for n in (1, 31, 32, 33, 1000)]
addresses = [block.data_ptr() for block in blocks]
print("remainders", [address % 32 for address in addresses])
print("distances", [after - before for before, after in itertools.pairwise(addresses)])
print("taken", torch.accelerator.memory_allocated(), "wanted", sum(block.nbytes for block in blocks))
# endregion


# region views
def lines(operation) -> int:
    before = abacus.lines()
    operation()
    return abacus.lines() - before


x = torch.arange(17.0, device="abacus")
for name, part in {
    "x": x,
    "x[8:]": x[8:],
    "x[1:]": x[1:],
    "x[1:].clone()": x[1:].clone(),
    "x[::2]": x[::2],
}.items():
    added = lines(lambda part=part: part + part)
    print(f"{name:14s} remainder {part.data_ptr() % 32:2d}, {part.numel()} elements, {added} lines")
# endregion

# region closed
child = os.fork()
if child == 0:
    ctypes.string_at(x.data_ptr(), 4)  # the host follows a pointer of the chip
    os._exit(0)
_, status = os.waitpid(child, 0)
print("the host reads the chip's memory:", signal.Signals(os.WTERMSIG(status)).name)
# endregion
