"""The same function in C++: built here, registered as an operator, checked by gradcheck."""

import os
import sys
import tempfile
from pathlib import Path

import torch
from torch.autograd import gradcheck, gradgradcheck
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.cpp_extension import load

# region build
# The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

with tempfile.TemporaryDirectory() as folder:
    load(
        name="product",
        sources=[str(Path(__file__).with_name("product.cpp"))],
        extra_cflags=["-O0"],
        is_python_module=False,
        build_directory=folder,
    )
product = torch.ops.inside_torch.product
# endregion


class Tell(TorchDispatchMode):
    """Prints the multiplications that run below autograd."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.mul.Tensor:
            print("   ", func)
        return func(*args, **(kwargs or {}))


# region check
a = torch.tensor([2.0, 3.0], dtype=torch.double, requires_grad=True)
b = torch.tensor([5.0, 7.0], dtype=torch.double, requires_grad=True)
loss = (product(a, b) + a).sum()
print(loss.grad_fn.next_functions[0][0].next_functions[0][0].name())
print(gradcheck(product, (a, b)), gradgradcheck(product, (a, b)))

with Tell():
    for inputs in ([a], [a, b]):
        print(f"gradients of {len(inputs)} of 2 inputs")
        torch.autograd.grad(loss, inputs, retain_graph=True)
# endregion

# region func
try:
    torch.func.grad(lambda x: product(x, b).sum())(a.detach())
except RuntimeError as error:
    print(error)
# endregion
