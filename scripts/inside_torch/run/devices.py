"""The devices that the book runs on: ``cpu``, ``cuda``, and ``dry``, the GPU that computes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from inside_torch.dry import answers, cuda_build, dry_run
from inside_torch.run import process
from inside_torch.run.process import Run


def default(device: str, devices: tuple[str, ...]) -> str:
    """torch's default device: what is written for the dry GPU, and for no other, names its device itself."""
    return "cpu" if "dry" in devices else device


def variables(device: str) -> dict[str, str]:
    """What a process that runs on the device has in its environment, beyond what every run has."""
    if device != "dry":
        return {}
    build = cuda_build.find(Path(sys.prefix))
    return dry_run.environment(answers.compiled(build), dry_run.DryGpu())


def starter(device: str, fork: Run) -> Run:
    """What starts the process: a fork of one that has torch already, on the CPU alone.

    A process that came of a fork may not use a GPU once its parent has looked for one, and has the libraries
    that its parent was started with.
    """
    return fork if device == "cpu" else process.run
