"""Starts a program on the dry GPU, as ``python`` would: ``python start.py <program> <arguments>``.

It runs in the CUDA environment's interpreter, and needs nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import faulthandler
import runpy
import signal
import sys
from pathlib import Path


def main() -> None:
    """In the child process: have the library say where the program stands when it ends it, then run that."""
    faulthandler.register(signal.SIGUSR2, all_threads=False)
    ctypes.CDLL(None).dry_say_where(int(signal.SIGUSR2))
    program = sys.argv[1]
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(program).resolve().parent)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
