"""Starts a program on the dry GPU, as ``python`` would: ``python start.py <program> <arguments>``.

It runs in the CUDA environment's interpreter, and needs nothing but the standard library. Beside the log
lies a file with the stacks of the program where the host waited for the device.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import faulthandler
import json
import os
import runpy
import signal
import sys
import time
from pathlib import Path
from types import TracebackType


def peaks(log: Path) -> None:
    """Write down what torch's allocator says of its peaks, once the program has ended."""
    if (torch := sys.modules.get("torch")) is None or not torch.cuda.is_initialized():
        return
    with log.open("a") as stream:
        for device in range(torch.cuda.device_count()):
            said = {"allocated": torch.cuda.max_memory_allocated(device)}
            said["reserved"] = torch.cuda.max_memory_reserved(device)
            stream.write(json.dumps({"call": "peak", "pid": os.getpid(), "device": device} | said) + "\n")


def settle(seconds: float = 2.0) -> None:
    """Wait, at most ``seconds``, until autograd's threads of the devices have put down what they carried.

    ``backward`` returns when such a thread says that all is done, and the thread then drops its last node.
    Where that frees a Python object when the interpreter is at its end, the thread waits for the end of the
    process (``threads.c``), and the destructor of autograd's engine waits some seconds for the thread.
    """
    until = time.monotonic() + seconds
    busy = True
    while busy and time.monotonic() < until:
        time.sleep(0.005)  # which also lets go of the interpreter
        # "<number> (<name>) <state> …", see proc(5)
        busy = False
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # a thread that has ended since
                state = (task / "stat").read_text()
                busy |= "(pt_autograd" in state and ") S " not in state


def main() -> None:
    """In the child process: have the library say where the program stands, then run that."""
    program = sys.argv[1]
    into_file = file = 0
    if name := os.environ.get("DRY_GPU_LOG"):
        # Open until the process ends: the library may ask for a stack to the last.
        file = os.open(f"{name}.stacks", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        into_file = int(signal.SIGUSR1)
        faulthandler.register(signal.SIGUSR1, file=file, all_threads=False)
        atexit.register(peaks, Path(name))
    faulthandler.register(signal.SIGUSR2, all_threads=False)
    ctypes.CDLL(None).dry_say_where(into_file, file, int(signal.SIGUSR2))

    atexit.register(settle)

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An error of the program, without the lines that started it."""
        frame = trace
        while frame and frame.tb_frame.f_code.co_filename != program:
            frame = frame.tb_next
        sys.__excepthook__(kind, error.with_traceback(frame or trace), frame or trace)

    sys.excepthook = show
    sys.argv = sys.argv[1:]
    sys.path[0] = str(Path(program).resolve().parent)
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()
