"""Starts a program of the book in a process of its own, as ``python program.py`` would.

``python -m inside_torch.run.launch <program.py> [--device cpu|cuda] [--measure <file>]``: the program's
folder is the first entry of ``sys.path``, torch's default device and seed are set, then the program runs as
``__main__``. With ``--measure`` it is loaded as a module and what its ``measure()`` returns is written to the
file as JSON.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import runpy
import sys
from pathlib import Path
from types import ModuleType

SEED = 0


def clean_start(program: Path, device: str, threads: int | None = None) -> None:
    """The state that every program starts from: its folder importable, seed, threads, default device."""
    import torch

    sys.path[0] = str(program.resolve().parent)
    torch.manual_seed(SEED)
    if threads is not None:
        torch.set_num_threads(threads)
    if device != "cpu":  # a default device is a function mode: on the CPU, torch's own start has none
        torch.set_default_device(device)


def load_module(program: Path) -> ModuleType:
    """The program as a module, importable by its own name, so that ``__main__`` blocks do not run."""
    spec = importlib.util.spec_from_file_location(program.stem, program.resolve())
    assert spec is not None and spec.loader is not None  # it is a file of Python
    module = importlib.util.module_from_spec(spec)
    sys.modules[program.stem] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """In a child process: run a program, or its ``measure()``, from a clean state on a device."""
    parser = argparse.ArgumentParser(prog="python -m inside_torch.run.launch")
    parser.add_argument("program", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--measure", type=Path)
    arguments = parser.parse_args()
    clean_start(arguments.program, arguments.device)
    if arguments.measure:
        values = load_module(arguments.program).measure()
        arguments.measure.write_text(json.dumps(values))
        return
    sys.argv = [str(arguments.program)]
    runpy.run_path(str(arguments.program.resolve()), run_name="__main__")


if __name__ == "__main__":
    main()
