"""Memory in the hands of an allocator of our own: what lies where after each statement."""

import ctypes
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

HERE = Path(__file__).parent


# region build
def build() -> ctypes.CDLL:
    wheel = Path(torch.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "arena.so")
        flags = ["-std=c++20", "-w", "-shared", "-fPIC", f"-I{wheel / 'include'}"]
        command = ["g++", *flags, str(HERE / "arena.cpp"), "-o", str(library), f"-L{wheel / 'lib'}", "-lc10"]
        subprocess.run(command, check=True)
        arena = ctypes.CDLL(str(library))
    arena.asked.restype = arena.block.restype = arena.where.restype = ctypes.c_size_t
    arena.where.argtypes = [ctypes.c_void_p]
    arena.install.argtypes = [ctypes.c_size_t]
    return arena


@contextmanager
def installed(arena: ctypes.CDLL, line: int) -> Iterator[None]:
    """New storages of the CPU get their memory from the arena, in whole lines."""
    arena.install(line)
    try:
        yield
    finally:
        arena.remove_again()


# endregion


def blocks(arena: ctypes.CDLL) -> list[tuple[int, int]]:
    found, begin = [], ctypes.c_size_t()
    while end := arena.block(ctypes.c_size_t(len(found)), ctypes.byref(begin)):
        found.append((begin.value, end))
    return found


def where(arena: ctypes.CDLL, tensor: torch.Tensor) -> int:
    """Where the tensor's block begins in the arena, by an address that is only looked at."""
    return arena.where(tensor.const_data_ptr()) - tensor.storage_offset() * tensor.element_size()


# region statements
STATEMENTS = """
a = torch.ones(12)
b = torch.ones(3)
c = a + 1
del a
d = torch.ones(20)
e = b.clone()
f = torch._lazy_clone(c)
f[0] = 7
c.resize_(30)
""".strip().splitlines()
# endregion

if __name__ == "__main__":
    arena = build()
    names: dict = {"torch": torch}
    print("lane  from  to  name")
    with installed(arena, 32):
        for statement in STATEMENTS:
            exec(statement, names)
            tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
            for begin, end in blocks(arena):
                owners = [name for name, value in tensors.items() if where(arena, value) == begin]
                print(f"{statement}  {begin}  {end}  {', '.join(owners)}")
