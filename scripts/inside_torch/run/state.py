"""Global state of torch and of the process, put back to where torch starts, around each probe."""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from inside_torch.errors import BookError
from inside_torch.run.launch import SEED


def reset(device: str = "cpu", threads: int | None = None) -> None:
    """Put torch's global state to its defaults, the default device to ``device`` and the seed to a fixed one.

    ``threads`` is the size of the thread pool inside an operator; None leaves it.
    """
    import torch

    random.seed(SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(SEED)
    _empty_stacks()
    torch.set_default_dtype(torch.float32)
    # A default device is a function mode that every call goes through: torch starts with none.
    torch.set_default_device(None if device == "cpu" else device)
    torch.manual_seed(SEED)
    torch.set_grad_enabled(True)
    if threads is not None:
        torch.set_num_threads(threads)
    if "torch._inductor" in sys.modules:
        torch.use_deterministic_algorithms(False)
    else:  # which would import Inductor, and Dynamo with it, to tell them
        torch._C._set_deterministic_algorithms(False)
    torch.utils.deterministic.fill_uninitialized_memory = True  # type: ignore[attr-defined]
    torch.set_float32_matmul_precision("highest")
    torch.set_printoptions(profile="default")
    torch.set_warn_always(False)
    torch.set_flush_denormal(False)
    torch.autograd.set_detect_anomaly(False)
    torch.autograd.set_multithreading_enabled(True)
    for kind in ("cpu", "cuda"):
        torch.set_autocast_enabled(kind, False)
    torch.clear_autocast_cache()
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = False
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()


def _empty_stacks() -> None:
    """Take off what was entered and never left: function and dispatch modes, saved-tensor hooks."""
    import torch
    from torch.overrides import _get_current_function_mode_stack
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

    torch.set_default_device(None)
    for _ in _get_current_function_mode_stack():
        torch._C._pop_torch_function_stack()
    for _ in _get_current_dispatch_mode_stack():
        torch._C._pop_torch_dispatch_stack()
    while torch._C._autograd._top_saved_tensors_default_hooks(True) is not None:
        torch._C._autograd._pop_saved_tensors_default_hooks()


@contextmanager
def clean(device: str = "cpu") -> Iterator[None]:
    """A probe's surroundings: torch at its defaults, then the process as it was, whatever the probe did.

    Raises :class:`BookError` (rule ``leaked-state``) for what cannot be put back.
    """
    import torch

    threads, pools = torch.get_num_threads(), torch.get_num_interop_threads()
    inference = torch.is_inference_mode_enabled()
    environ, folder, path = dict(os.environ), os.getcwd(), list(sys.path)
    main = sys.modules["__main__"]
    reset(device, threads)
    try:
        with warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.simplefilter("default")
            yield
    finally:
        sys.modules["__main__"] = main
        sys.path[:] = path
        os.chdir(folder)
        for name in os.environ.keys() - environ:
            del os.environ[name]
        os.environ.update(environ)
        leaked = ""
        if torch.is_inference_mode_enabled() != inference:
            leaked = "inference mode entered and never left"
        elif torch.get_num_interop_threads() != pools:
            leaked = "another number of inter-op threads, which torch lets no one set twice"
        reset("cpu", threads)
    if leaked:
        raise BookError("leaked-state", leaked, "a program, which has a process of its own")
