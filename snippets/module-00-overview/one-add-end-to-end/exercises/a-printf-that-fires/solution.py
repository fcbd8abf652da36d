"""A printf that fires: see the additions that reach the backend, whoever asked for them.

`additions(call)` runs `call()` and returns what was added meanwhile, one entry for each addition of dense
tensors at the backend's key: the operator that was entered, and shape and dtype of its result.
"""

from collections.abc import Callable
from contextlib import contextmanager

import torch

Addition = tuple[str, tuple[int, ...], torch.dtype]


def backend() -> str:
    """The dispatch key of the default device's backend: "CPU" or "CUDA"."""
    return torch.get_default_device().type.upper()


@contextmanager
def replaced(kernels: dict[str, Callable]):
    """While it lasts, these functions are the kernels of the operators that they are named for.

    A name is an operator of ATen with its overload, `"mul.Tensor"`. A kernel is called with the set of
    dispatch keys, which the original kernel wants too, and then with the operator's own arguments.
    """
    with torch.library._scoped_library("aten", "IMPL") as library:
        for name, kernel in kernels.items():
            library.impl(name, kernel, backend(), with_keyset=True, allow_override=True)
        yield


def as_tensors(arguments: tuple) -> list[torch.Tensor]:
    """The tensors that the original kernel expects: Python is shown the 2 of `a + 2` as a number again."""
    first = arguments[0]
    return [
        value if torch.is_tensor(value) else torch.tensor(value, dtype=torch.result_type(first, value))
        for value in arguments
    ]


def entrances() -> list[str]:
    """The operators, each with its overload, by which an addition of dense tensors can enter the backend."""
    # One implementation, structured_ufunc_add_CPU, under three wrappers: functional, in place, out. None of
    # them calls another through the dispatcher, so each is listened to. add.Scalar calls add.Tensor.
    return ["add.Tensor", "add_.Tensor", "add.out"]


def reporting(name: str, seen: list[Addition]) -> Callable:
    """A kernel that does what the original does, and notes it in `seen`."""
    original = torch.library.get_kernel(f"aten::{name}", backend())

    def kernel(keys, *arguments, **keywords):
        result = original.call_boxed(keys, *as_tensors(arguments), **keywords)
        seen.append((name, tuple(result.shape), result.dtype))
        return result

    return kernel


def additions(call: Callable[[], object]) -> list[Addition]:
    """What was added while `call()` ran, in order."""
    seen: list[Addition] = []
    with replaced({name: reporting(name, seen) for name in entrances()}):
        call()
    return seen
