"""An operator with a kernel at every level. Each says its name and hands the call on; the last computes."""

import torch
from torch import Tensor
from torch._C import DispatchKey, DispatchKeySet

DEVICE = torch.get_default_device().type
NAME = torch._C._dispatch_key_for_device(DEVICE)  # CPU or CUDA

# region kernels
library = torch.library.Library("levels", "DEF")
library.define("add(Tensor x, Tensor y) -> Tensor")
add = torch.ops.levels.add.default

visited: list[str] = []


def passing_on(level: str, functionality: DispatchKey):
    """A kernel that notes the level and calls the next one below it."""
    below = torch._C._dispatch_keyset_full_after(functionality)

    def kernel(keys: DispatchKeySet, x: Tensor, y: Tensor) -> Tensor:
        visited.append(level)
        return add.redispatch(keys & below, x, y)

    return kernel


def computing(x: Tensor, y: Tensor) -> Tensor:
    visited.append("backend")
    return x + y


autocast = getattr(DispatchKey, f"Autocast{NAME}")
library.impl("add", passing_on("autocast", autocast), f"Autocast{NAME}", with_keyset=True)
# AutogradOther is the lowest key of autograd: what is after it is after all of autograd.
library.impl("add", passing_on("autograd", DispatchKey.AutogradOther), f"Autograd{NAME}", with_keyset=True)
views = DispatchKey.ADInplaceOrView
library.impl("add", passing_on("in-place or view", views), "ADInplaceOrView", with_keyset=True)
library.impl("add", computing, NAME)
# endregion

# region calls
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def levels(x: Tensor, y: Tensor) -> str:
    visited.clear()
    add(x, y)
    return " > ".join(visited)


print("requires a gradient:    ", levels(a, b))
print("requires none:          ", levels(b, b))
with torch.no_grad():
    print("no_grad:                ", levels(a, b))
with torch.autocast(DEVICE):
    print("autocast:               ", levels(a, b))
with torch.inference_mode():
    print("inference_mode:         ", levels(a, b))
    frozen = torch.ones(3)
    print("... of its own tensors: ", levels(frozen, frozen))
print("... and outside again:  ", levels(frozen, frozen))
with torch._C._AutoDispatchBelowAutograd():
    print("below autograd:         ", levels(a, b))
print("and the result:", add(a, b).grad_fn.name())
# endregion
