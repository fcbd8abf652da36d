"""A device in Python, made by answering: each demand is tried until PyTorch has no question left.

The memory of this chip is a tensor of the host, kept in `.host`; a view of the one is a view of the other.
"""

import torch
from torch import Tensor
from torch.utils import backend_registration
from torch.utils._pytree import tree_map_only

# region device
aten, anything = torch.library.Library("aten", "IMPL"), torch.library.Library("_", "IMPL")


class Chip(Tensor):
    """A tensor with the key of PrivateUse1 and no memory that PyTorch knows of."""


def on_chip(host: Tensor) -> Chip:
    tensor = torch._C._acc.create_empty_tensor(host.shape, host.dtype)
    tensor.__class__ = Chip
    tensor.host = host
    return tensor


def on_host(tree):
    def host(tensor):
        if tensor.device.type == "cpu":
            return tensor
        if not hasattr(tensor, "host"):
            raise LookupError("a tensor of the chip that we have not made")
        return tensor.host

    return tree_map_only(Tensor, host, tree)


def empty(size, *, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    return on_chip(torch.empty(size, dtype=dtype))


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    return on_chip(torch.empty_strided(size, stride, dtype=dtype))


def copy_from(source, target, non_blocking=False):
    on_host(target).copy_(on_host(source))
    return target


def add_out(a, b, *, alpha=1, out):
    torch.add(on_host(a), on_host(b), alpha=alpha, out=out.host)
    return out


def by_the_host(operator, *args, **kwargs):
    """Any operator: run it on the host's tensors. What it writes to is handed back, what it makes is wrapped."""
    result = operator(*on_host(args), **on_host(kwargs))
    known = {id(t.host): t for t in (*args, *kwargs.values()) if isinstance(t, Chip)}
    return tree_map_only(Tensor, lambda host: known[id(host)] if id(host) in known else on_chip(host), result)
# endregion


# region answers
answers = {
    "start of device string: abacus": lambda: torch.utils.rename_privateuse1_backend("abacus"),
    "No module named 'torch.abacus'": lambda: torch._register_device_module(
        "abacus", backend_registration._DummyBackendModule()
    ),
    "Please register PrivateUse1HooksInterface": lambda: torch._C._acc.register_python_privateuseone_hook(
        backend_registration._DummyPrivateUse1Hook()
    ),
    "PyTorch is not linked with support": lambda: torch._C._acc.register_python_privateuseone_device_guard(
        backend_registration._DummyDeviceGuard()
    ),
}
