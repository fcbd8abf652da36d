"""The traced process: loads a program as a module and brackets its ``path()`` for gdb.

``python -m inside_torch.run.traced_program <folder> <program.py>`` loads the program, makes the file
``ready`` in the folder and waits until gdb has attached. There it reads in ``functions.json``
(``[[file, qualified name]]``) whose calls to tell, and writes ``events``: a line for each event, followed by
a SIGTRAP at which gdb stops. The events are ``begin``, ``enter <index>`` and ``leave <index>`` of the Python
functions, and ``end`` or, where ``path()`` raised, ``failed``.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from types import CodeType, FrameType

from inside_torch.claims.child import leave_guards_unmeasured
from inside_torch.run.launch import clean_start, load_module

#: Linux's linux/prctl.h
PR_SET_PTRACER, PR_SET_PTRACER_ANY = 0x59616D61, 2**64 - 1


def await_debugger(ready: Path) -> None:
    """Make a file, and return when a debugger has attached."""
    # Some systems let a process be traced by its ancestors alone, unless it says otherwise.
    ctypes.CDLL(None).prctl(ctypes.c_int(PR_SET_PTRACER), ctypes.c_ulong(PR_SET_PTRACER_ANY))
    ready.touch()
    while "TracerPid:\t0\n" in Path("/proc/self/status").read_text():
        time.sleep(0.005)


def main() -> None:
    """Under gdb: run a program's ``path()`` once, and stop at each call that the recorder asked for."""
    folder, program = map(Path, sys.argv[1:])
    asked = json.loads((folder / "functions.json").read_text())
    functions = {(os.path.realpath(file), name): index for index, (file, name) in enumerate(asked)}
    names = {name for _, name in functions}
    log = os.open(folder / "events", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    watched: dict[CodeType, int | None] = {}

    def tell(event: str) -> None:
        os.write(log, f"{event}\n".encode())
        signal.raise_signal(signal.SIGTRAP)

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_qualname not in names:
            return
        if code not in watched:
            watched[code] = functions.get((os.path.realpath(code.co_filename), code.co_qualname))
        if (index := watched[code]) is not None:
            tell(f"{'enter' if event == 'call' else 'leave'} {index}")

    clean_start(program, device="cpu", threads=int(os.environ["OMP_NUM_THREADS"]))
    path = load_module(program).path
    leave_guards_unmeasured()
    await_debugger(folder / "ready")
    tell("begin")
    if functions:
        threading.setprofile(profile)
        sys.setprofile(profile)
    outcome = "end"
    try:
        path()
    except BaseException:
        traceback.print_exc()  # gdb will end this process at the next event
        sys.stderr.flush()
        outcome = "failed"
    sys.setprofile(None)
    threading.setprofile(None)
    tell(outcome)


if __name__ == "__main__":
    main()
