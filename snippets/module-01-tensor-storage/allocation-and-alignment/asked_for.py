"""How many blocks an expression asks an allocator of our own for, and where its result begins."""

import numpy as np
import torch
from arena.main import build, installed

x = torch.ones(12, device="cpu")
double = torch.ones(12, dtype=torch.float64, device="cpu")
one = torch.ones((), device="cpu")
array = np.zeros(12, dtype=np.float32)

# region expressions
EXPRESSIONS = """
torch.empty(12)
torch.empty(0)
torch.zeros(12)
x + x
x + 1
double + 1.0
x + one
x.add_(x)
x.add_(1)
x.sum()
x[1:]
x.float()
x.clone()
torch._lazy_clone(x)
torch.rand(12)
torch.tensor(array)
torch.from_numpy(array)
torch.UntypedStorage(12)
""".strip().splitlines()
# endregion

if __name__ == "__main__":
    arena = build()
    print(f"{'':25} blocks  begins at, mod 32  and mod 64")
    with installed(arena, 32), torch.device("cpu"):
        for expression in EXPRESSIONS:
            before = arena.asked()
            result = eval(expression)
            asked = arena.asked() - before
            address = result.untyped_storage().data_ptr() if asked and expression != "x.add_(1)" else None
            places = "" if address is None else f"{address % 32:6}  {address % 64:17}"
            print(f"{expression:25} {asked:6}  {places}".rstrip())
