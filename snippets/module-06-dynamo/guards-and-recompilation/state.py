"""The state of PyTorch that is compared before each call of a compiled function."""

import contextlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch._C._dynamo.guards import GlobalStateGuard


@contextlib.contextmanager
def setting(get: Callable[[], Any], put: Callable[[Any], Any], value: Any) -> Iterator[None]:
    """A number or a flag, changed for a while."""
    before = get()
    put(value)
    try:
        yield
    finally:
        put(before)


@contextlib.contextmanager
def only_warning() -> Iterator[None]:
    """Deterministic algorithms are wanted, and their absence is no error."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def flag(where: Any, name: str) -> Callable[[], AbstractContextManager]:
    """A flag of a module of settings, turned over."""
    return lambda: setting(
        lambda: getattr(where, name), lambda value: setattr(where, name, value), not getattr(where, name)
    )


# region state
matmul = torch.backends.cuda.matmul
GUARDED: dict[str, Callable[[], AbstractContextManager]] = {
    "grad_mode": torch.no_grad,
    "torch_function": torch._C.DisableTorchFunctionSubclass,
    "torch_function_all_disabled": torch._C.DisableTorchFunction,
    "deterministic_algorithms": lambda: setting(
        torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms, True
    ),
    "deterministic_algorithms_warn_only": only_warning,
    "allow_tf32": flag(matmul, "allow_tf32"),
    "allow_fp16_reduce": flag(matmul, "allow_fp16_reduced_precision_reduction"),
    "allow_bf16_reduce": flag(matmul, "allow_bf16_reduced_precision_reduction"),
    "num_threads": lambda: setting(torch.get_num_threads, torch.set_num_threads, torch.get_num_threads() + 1),
    "default_dtype": lambda: setting(torch.get_default_dtype, torch.set_default_dtype, torch.double),
    "autocast_state": lambda: torch.autocast("cpu"),
}
UNGUARDED = {
    "cudnn.benchmark": flag(torch.backends.cudnn, "benchmark"),
    "cudnn.enabled": flag(torch.backends.cudnn, "enabled"),
    "multithreading": lambda: torch.autograd.set_multithreading_enabled(False),
}
# endregion

if __name__ == "__main__":
    guard = GlobalStateGuard()
    print("the same names:", set(json.loads(guard.__getstate__())) == set(GUARDED))
    for name, context in (GUARDED | UNGUARDED).items():
        with context():
            print(f"{name:36}", "kept" if guard.check() else f"refused: {guard.reason().strip()}")
    with torch.no_grad(), ThreadPoolExecutor(1) as pool:
        kept = pool.submit(guard.check).result()
    print(f"{'grad_mode of another thread':36}", "kept" if kept else f"refused: {guard.reason().strip()}")
