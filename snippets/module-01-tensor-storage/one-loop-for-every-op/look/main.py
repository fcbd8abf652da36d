"""What TensorIterator makes of some sums, and whether the small one in Python makes the same of many more."""

import ctypes
import random
import subprocess
import tempfile
from pathlib import Path

import torch
from generated import operand, shape
from iterator import GRAIN_SIZE, Loop

HERE = Path(__file__).parent


# region compile
def compiled() -> ctypes.CDLL:
    """`look.cpp`, against the headers and libraries of the torch that is installed."""
    wheel = Path(torch.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "look.so")
        flags = ["-std=c++20", "-w", "-Wno-psabi", "-shared", "-fPIC"]
        folders = [f"-I{wheel / 'include'}", f"-L{wheel / 'lib'}", "-lc10", "-ltorch_cpu"]
        subprocess.run(["g++", *flags, HERE / "look.cpp", "-o", library, *folders], check=True)
        found = ctypes.CDLL(str(library))
    for name in "dimensions", "size", "stride", "for_each", "call", "add", "added_one_by_one":
        getattr(found, name).restype = ctypes.c_int64
    return found


# endregion


# region look
class Look:
    """The same facts as those of `Loop`, from the real one."""

    def __init__(self, library: ctypes.CDLL, a: torch.Tensor, b: torch.Tensor) -> None:
        self.library = library
        library.build(ctypes.c_void_p(a._cdata), ctypes.c_void_p(b._cdata))
        dims = range(library.dimensions())
        self.shape = [library.size(dim) for dim in dims]
        self.strides = [[library.stride(operand, dim) for dim in dims] for operand in range(3)]

    def for_each(self, grain: int = GRAIN_SIZE) -> list[tuple[int, list[int], int, int]]:
        """The calls of the loop, in the order of the threads' numbers."""
        found = []
        for index in range(self.library.for_each(ctypes.c_int64(grain))):
            thread, inner, outer, *begin = (self.library.call(index, field) for field in range(6))
            found.append((thread, begin, inner, outer))
        return sorted(found)

    def add(self) -> tuple[int, int]:
        """How many numbers were added by vectors, and how many were added."""
        by_vectors = self.library.add()
        return by_vectors, by_vectors + self.library.added_one_by_one()


# endregion

# region sums
NAMES = """
x = torch.arange(12.0).reshape(3, 4)
y = x[:, 1]
other = torch.zeros(2, 1, dtype=torch.int64)
one = torch.ones(())
m = torch.ones(2, 40)
row, column = torch.ones(40), torch.ones(2, 1)
long = torch.ones(32769)
rows = torch.ones(3, 20000)
"""
SMALL = """
y + other
x + x
x.t() + x.t()
x.t() + x.t().contiguous()
x[:, ::2] + x[:, ::2]
m + m
m + one
m + row
m + column
m.t() + m.t().contiguous()
m.t() + one
""".strip().splitlines()
LARGE = ["long + long", "rows + rows[:, :1]"]
# endregion


# region alike
def alike(library: ctypes.CDLL, choose: random.Random) -> bool:
    """Whether the small iterator makes of a generated sum what the real one makes, and the same sum."""
    whole = shape(choose)
    left, right = (operand(whole, choose).made() for _ in range(2))
    ours, real, total = Loop(left, right), Look(library, left, right), left + right
    return (
        ours.operands[0].stride() == total.stride()
        and (ours.shape, ours.strides) == (real.shape, real.strides)
        and sorted(ours.for_each(threads=3, grain=7)) == real.for_each(grain=7)
        and torch.equal(ours.add(), total)
    )


# endregion

if __name__ == "__main__":
    library, names = compiled(), {"torch": torch}
    with torch.device("cpu"):
        exec(NAMES, names)
    line = "{:28}{:10}{:28}{:10}{}".format
    print(line("sum", "shape", "steps in bytes", "called", "by vectors"))
    for expression in SMALL:
        look = Look(library, *(eval(side, names) for side in expression.split(" + ")))
        [(_, _, inner, outer)] = look.for_each()
        steps = " ".join(str(each).replace(" ", "") for each in look.strides)
        print(line(expression, str(look.shape), steps, f"{inner} x {outer}", "{} of {}".format(*look.add())))
    torch.set_num_threads(2)
    for expression in LARGE:
        print(f"\n{expression}, two threads:")
        look = Look(library, *(eval(side, names) for side in expression.split(" + ")))
        for thread, begin, inner, outer in look.for_each():
            print(f"thread {thread} was called with {inner} x {outer}, from byte {begin[0]} of the result on")
    torch.set_num_threads(3)
    choose = random.Random(0)
    same = sum(alike(library, choose) for _ in range(1000))
    print("\nof 1000 sums that were generated, ours makes the same of:", same)
