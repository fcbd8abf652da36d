"""The dry GPU: the host side of CUDA on a machine without a GPU.

A small library stands before NVIDIA's and answers for them; PyTorch's own code is unchanged. Values are not
computed. A program that runs on it may ask so (:func:`is_dry`), and may have a stream lag (:func:`hold`,
:func:`release`).
"""

from __future__ import annotations

import ctypes
import os
from typing import Protocol


class Stream(Protocol):
    """What a ``torch.cuda.Stream`` is here: a handle."""

    @property
    def cuda_stream(self) -> int: ...


def is_dry() -> bool:
    """Whether this process runs on the dry GPU, which it does only where it was started so."""
    return "DRY_GPU" in os.environ and hasattr(ctypes.CDLL(None), "dry_is_here")


def hold(stream: Stream) -> None:
    """Hold a stream back: what it is asked from now on is not done, and its events are not ready."""
    _call("dry_hold", stream)


def release(stream: Stream) -> None:
    """Let a stream go on that was held back."""
    _call("dry_release", stream)


def _call(name: str, stream: Stream) -> None:
    if not is_dry():
        raise RuntimeError("only the dry GPU can hold a stream back, and this process does not run on it")
    getattr(ctypes.CDLL(None), name)(ctypes.c_void_p(stream.cuda_stream))
