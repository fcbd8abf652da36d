"""An operator in C++ that writes to its argument: its gradient, its version, and what opcheck says."""

import os
import sys
import tempfile
from pathlib import Path

import torch
from torch.library import opcheck
from torch.utils.cpp_extension import load

# The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

with tempfile.TemporaryDirectory() as folder:
    load(
        name="double_in_place",
        sources=[str(Path(__file__).with_name("double_in_place.cpp"))],
        extra_cflags=["-O0"],
        is_python_module=False,
        build_directory=folder,
    )
double_ = torch.ops.in_place.double_

# region ask
x = torch.ones(2, device="cpu", requires_grad=True)
y = x * 1
double_(y)
print(y.tolist(), y.grad_fn.name(), "version", y._version)
y.sum().backward()
print(x.grad.tolist())

w = torch.tensor([3.0], device="cpu", requires_grad=True)
copy = w.clone()
loss = (copy * copy).sum()  # keeps the copy for backward
double_(copy.detach())
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(":")[0])

plain = torch.ones(2, device="cpu")  # nothing is recorded
double_(plain)
print(plain.tolist(), plain.grad_fn, "version", plain._version)
normal = x * 1
with torch.inference_mode():
    double_(normal)
print(normal.tolist(), normal.grad_fn.name(), "version", normal._version)

z = torch.ones(3, device="cpu")
torch.compile(lambda x: double_(x), backend="aot_eager", fullgraph=True)(z)
print(z.tolist())
for needs in False, True:
    sample = torch.ones(2, device="cpu", requires_grad=needs).clone()
    print(opcheck(double_, (sample,), raise_exception=False))
# endregion
