"""Runs a program on the dry GPU."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from inside_torch.dry.answers import LIBRARY, compiled
from inside_torch.dry.cuda_build import CudaBuild

#: How a program ends that asks for what is not answered: ``refuse`` of ``state.c``.
REFUSED = 86


@dataclass(frozen=True)
class DryGpu:
    """What the machine is to have: devices, the bytes of each, and what reading a computed value gives.

    ``values`` is ``refuse``, where reading one is an exception, or ``zeros``.
    """

    devices: int = 1
    memory: int = 24 << 30
    values: str = "refuse"


def environment(folder: Path, gpu: DryGpu, log: Path | None = None) -> dict[str, str]:
    """What a process needs to run on the dry GPU: the library, compiled in ``folder``, before all others."""
    found = {
        "DRY_GPU": "1",
        "DRY_GPU_DEVICES": str(gpu.devices),
        "DRY_GPU_MEMORY": str(gpu.memory),
        "DRY_GPU_VALUES": gpu.values,
        "LD_PRELOAD": ":".join(filter(None, [str(folder / LIBRARY), os.environ.get("LD_PRELOAD")])),
        "LD_LIBRARY_PATH": ":".join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")])),
        "TRITON_LIBCUDA_PATH": str(folder),
        "PYTHONUNBUFFERED": "1",
    }
    return found | ({"DRY_GPU_LOG": str(log)} if log else {})


def command(build: CudaBuild, program: Path, arguments: tuple[str, ...] = ()) -> list[str]:
    """The command that starts a program so that it says where it stands when the library ends it."""
    return [str(build.python), str(Path(__file__).with_name("start.py")), str(program), *arguments]


def run_dry(
    build: CudaBuild,
    program: Path,
    arguments: tuple[str, ...] = (),
    *,
    gpu: DryGpu = DryGpu(),
    log: Path | None = None,
    capture: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; with ``capture``, what it prints is kept and not shown."""
    return subprocess.run(
        command(build, program, arguments),
        env=os.environ | environment(compiled(build), gpu, log),
        capture_output=capture,
        text=True,
    )
