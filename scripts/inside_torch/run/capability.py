"""The instruction set that torch's kernels use: the best of the processor, or one that is chosen here.

What a page shows must not hang on it; where it does, another processor shows something else.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from inside_torch.errors import BookError, nearest

# What the processor must have for each. Torch asks for the same when it chooses by itself, and for nothing
# when the variable tells it (`compute_cpu_capability` in aten/src/ATen/native/DispatchStub.cpp).
NEEDS = {
    "default": (),
    "avx2": ("avx2", "fma3"),
    "avx512": ("avx512_f", "avx512_vl", "avx512_bw", "avx512_dq", "fma3"),
}
CAPABILITIES = tuple(NEEDS)
VARIABLE = "ATEN_CPU_CAPABILITY"

_chosen: dict[str, str] = {}


def choose(capability: str) -> None:
    """Have torch use a capability, in this process and in those that :mod:`.process` starts from now on.

    Raises :class:`BookError` where there is none of that name, where the processor lacks it (torch itself
    believes the variable and does not ask), or where torch has been imported, which reads the choice once.
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

    if missing := lacking(capability, torch.cpu.get_capabilities()):
        raise BookError("cpu-capability", "a processor without " + ", ".join(missing), capability)
    if (used := torch.backends.cpu.get_cpu_capability().lower()) != capability:
        raise BookError("cpu-capability", f"torch uses {used} here", capability)
    _chosen[VARIABLE] = capability


def lacking(capability: str, processor: Mapping[str, object]) -> list[str]:
    """What a processor, told as `torch.cpu.get_capabilities` tells it, lacks for a capability."""
    return [need for need in NEEDS[capability] if not processor.get(need)]


def chosen() -> dict[str, str]:
    """The variable that child processes need for the choice; nothing where none was made."""
    return dict(_chosen)
