"""A gdb that traces one program after the other, and reads torch's symbols only for the first."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, Any

from inside_torch.errors import BookError
from inside_torch.run.process import end, unlock_extensions

SCRIPT = Path(__file__).with_name("gdb_record.py")


class Debugger:
    """A context in which gdb runs from the first request on, until the context is left.

    It starts anew for the request after one that it did not survive, or that brings another environment.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}
        self._pipe: Connection
        self._errors: IO[bytes]

    def __enter__(self) -> Debugger:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def ask(
        self, request: dict[str, Any], *, env: dict[str, str], timeout: float
    ) -> tuple[dict[str, Any] | None, str]:
        """The answer to a request of :mod:`inside_torch.run.gdb_record`, None where gdb ended instead, and
        what gdb and the program wrote to stderr meanwhile.

        Raises :class:`TimeoutError` after ``timeout`` seconds, and :class:`BookError` where there is no gdb.
        """
        if env != self._environment:
            self._end()
        if self._process is None:
            self._start(env)
        begun = os.fstat(self._errors.fileno()).st_size
        answered, answer = True, None
        try:
            self._pipe.send_bytes(json.dumps(request).encode())
            if answered := self._pipe.poll(timeout):
                answer = json.loads(self._pipe.recv_bytes())
        except (EOFError, OSError):
            pass  # gdb has ended
        # Not seek(): the place in the file is gdb's and the program's too.
        errors = os.pread(self._errors.fileno(), 1 << 20, begun).decode("utf-8", "replace")
        if answer is None or answer["error"].startswith("gdb:"):
            self._end()
        if not answered:
            unlock_extensions(env)
            raise TimeoutError
        return answer, errors

    def _start(self, env: dict[str, str]) -> None:
        gdb = shutil.which("gdb")
        if gdb is None:
            raise BookError(
                "gdb", "no gdb on this machine", "gdb, which records call paths (apt-get install gdb)"
            )
        self._environment = env
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115, it is closed with the process
        self._pipe, far = Pipe()
        command = [gdb, "-nx", "-q", "-batch", "-iex", "set auto-load no", "-x", str(SCRIPT)]
        with far:
            self._process = subprocess.Popen(
                [*command, "--args", sys.executable, "-m", "inside_torch.run.traced_program"],
                env=env | {"INSIDE_TORCH_GDB": str(far.fileno())},
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )

    def _end(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None
            self._pipe.close()
            self._errors.close()
