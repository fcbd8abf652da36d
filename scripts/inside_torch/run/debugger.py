"""A gdb that traces one program after the other, and reads torch's symbols only for the first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from inside_torch.errors import BookError
from inside_torch.run.fork_server import Forked, ForkServer
from inside_torch.run.process import end, unlock_extensions

SCRIPT = Path(__file__).with_name("gdb_record.py")


class Debugger:
    """A context in which gdb runs from the first request on, until the context is left.

    It attaches to a program that was forked from a process with torch, when its ``path()`` is about to begin:
    what was imported until then is read at once. It starts anew for the request after one that it did not
    survive.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._forks = ForkServer()
        self._pipe: Connection
        self._errors: IO[bytes]

    def __enter__(self) -> Debugger:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()
        self._forks.__exit__(*raised)

    def ask(
        self, program: Path, request: dict[str, Any], *, folder: Path, env: dict[str, str], timeout: float
    ) -> tuple[dict[str, Any] | None, str]:
        """The answer to a request of :mod:`inside_torch.run.gdb_record` for a program, None where gdb ended
        instead, and what the program wrote to stderr, and gdb where it failed.

        ``folder`` is that of :mod:`inside_torch.run.traced_program`. Raises :class:`TimeoutError` after
        ``timeout`` seconds, and :class:`BookError` where there is no gdb.
        """
        until = time.monotonic() + timeout
        if self._process is None:
            self._start()
        command = [sys.executable, "-m", "inside_torch.run.traced_program", str(folder), str(program)]
        child = self._forks.fork(command, cwd=program.parent, env=env, folder=folder)
        answer: dict[str, Any] | None = {"missing": {}, "error": "the program ended before path() was called"}
        of_gdb = ""
        try:
            if self._waits(child, folder, until):
                answer = self._answer(request | {"process": child.id}, until)
                if answer is None or answer["error"].startswith("gdb:"):
                    of_gdb = self._end()
        except TimeoutError:
            self._end()  # first, for nobody else hears of the end of what it traces
            child.end()
            unlock_extensions(env)
            raise
        child.end()
        return answer, child.written()[1] + of_gdb

    def _waits(self, child: Forked, folder: Path, until: float) -> bool:
        """Whether a program has come to its ``path()`` and waits there; else it has ended."""
        while not (folder / "ready").exists():
            if child.ended():
                return False
            if time.monotonic() > until:
                raise TimeoutError
            time.sleep(0.005)
        return True

    def _answer(self, request: dict[str, Any], until: float) -> dict[str, Any] | None:
        try:
            self._pipe.send_bytes(json.dumps(request).encode())
            if self._pipe.poll(max(until - time.monotonic(), 0)):
                return json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):  # gdb has ended
            return None
        raise TimeoutError

    def _start(self) -> None:
        gdb = shutil.which("gdb")
        if gdb is None:
            raise BookError(
                "gdb", "no gdb on this machine", "gdb, which records call paths (apt-get install gdb)"
            )
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, it is closed with the process
        self._pipe, far = Pipe()
        with far:
            self._process = subprocess.Popen(
                [gdb, "-nx", "-q", "-batch", "-iex", "set auto-load no", "-x", str(SCRIPT)],
                env=os.environ | {"INSIDE_TORCH_GDB": str(far.fileno())},
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )

    def _end(self) -> str:
        """What gdb had written to stderr."""
        if self._process is None:
            return ""
        end(self._process)
        self._process = None
        self._pipe.close()
        with self._errors as errors:
            errors.seek(0)
            return errors.read().decode("utf-8", "replace")
