"""The traced process: loads a program as a module and brackets its ``path()`` for gdb.

Started by :mod:`inside_torch.run.gdb_record` as ``python -m inside_torch.run.traced_program`` under gdb; the
folder that both use is named in ``INSIDE_TORCH_TRACE``. There ``region.json`` (``{"program": file,
"functions": [[file, qualified name]]}``) is read, and ``events`` written: a line for each event, followed by
a SIGTRAP at which gdb stops. The events are ``begin``, ``enter <index>`` and ``leave <index>`` of the Python
functions, and ``end`` or, where ``path()`` raised, ``failed``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from types import CodeType, FrameType

from inside_torch.run.launch import clean_start, load_module


def main() -> None:
    """Under gdb: run a program's ``path()`` once, and stop at each call that the recorder asked for."""
    folder = Path(os.environ["INSIDE_TORCH_TRACE"])
    asked = json.loads((folder / "region.json").read_text())
    program = Path(asked["program"])
    functions = {
        (os.path.realpath(file), name): index for index, (file, name) in enumerate(asked["functions"])
    }
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
