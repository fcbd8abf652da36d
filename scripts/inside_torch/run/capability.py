"""The instruction set that torch's kernels use: the best of the processor, or one that is chosen here.

What a page shows must not hang on it; where it does, another processor shows something else.
"""

from __future__ import annotations

import os
import sys

from inside_torch.errors import BookError, nearest

CAPABILITIES = ("default", "avx2", "avx512")
VARIABLE = "ATEN_CPU_CAPABILITY"

_chosen: dict[str, str] = {}


def choose(capability: str) -> None:
    """Have torch use a capability, in this process and in those that :mod:`.process` starts from now on.

    Raises :class:`BookError` where there is none of that name, where the processor lacks it, or where torch
    has been imported, which reads the choice once.
    """
    if capability not in CAPABILITIES:
        raise BookError(
            "cpu-capability",
            f"the capability `{capability}`",
            "one of " + ", ".join(CAPABILITIES),
            nearest(capability, CAPABILITIES),
        )
    if "torch" in sys.modules:
        raise BookError(
            "cpu-capability", "torch is imported already", "a process that begins with the choice"
        )
    os.environ[VARIABLE] = capability
    import torch

    if (used := torch.backends.cpu.get_cpu_capability().lower()) != capability:
        raise BookError("cpu-capability", f"torch uses {used} here", capability)
    _chosen[VARIABLE] = capability


def chosen() -> dict[str, str]:
    """The variable that child processes need for the choice; nothing where none was made."""
    return dict(_chosen)
