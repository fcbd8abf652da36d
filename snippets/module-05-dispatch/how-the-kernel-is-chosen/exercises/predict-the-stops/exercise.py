"""Predict where a call stops before it is made.

`stops(operator, arguments)` must name the dispatch keys whose kernels a call visits, in order, if each kernel
hands the call on to what is below it; without calling the operator. Sets of keys are plain ints of 64 bits.
"""

import torch
from torch._C import DispatchKey, DispatchKeySet

BACKENDS = torch._C._dispatch_num_backends()
ALL_BACKENDS = (1 << BACKENDS) - 1


def bits(key: DispatchKey) -> int:
    """The bits of one key: of its functionality and, where it has one, of its backend."""
    return DispatchKeySet(key).raw_repr()


PER_BACKEND = (
    bits(DispatchKey.Dense)
    | bits(DispatchKey.Quantized)
    | bits(DispatchKey.Sparse)
    | bits(DispatchKey.SparseCsr)
    | bits(DispatchKey.NestedTensor)
    | bits(DispatchKey.AutogradFunctionality)
)


def name(key: int) -> str:
    """The name of a key that stands alone in its set: "AutogradCPU"."""
    return DispatchKeySet.from_raw_repr(key).highestPriorityTypeId().name


def not_fallthrough(operator: str) -> int:
    """The keys at which an operator ("aten::add.Tensor") has something to run."""
    keys = torch._C._dispatch_keyset_full()
    for line in torch._C._dispatch_dump_table(operator).splitlines():
        key, _, entry = line.partition(": ")
        if entry.startswith("fallthrough"):
            keys = keys.remove(torch._C._dispatch_key_parse(key))
    return keys.raw_repr()


def highest(keys: int) -> int:
    """The key that wins, alone: one bit of functionality and, where it matters, one of backend; or 0."""
    raise NotImplementedError


def effective(operator: str, arguments: list) -> int:
    """The keys that a call is dispatched by. Arguments are tensors, lists of tensors, None or numbers."""
    raise NotImplementedError


def stops(operator: str, arguments: list) -> list[str]:
    """The names of the keys that the call visits, down to the first that does not hand it on: a backend's."""
    raise NotImplementedError
