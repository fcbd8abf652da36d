"""A process that has imported torch and forks for each program, so that torch is imported once for many.

``python -m inside_torch.run.fork_server <descriptor>`` reads from one end of a pipe. Each message is JSON:

- a request (read): ``{"module": name, "arguments": [text], "cwd": path, "output": path, "errors": path}``;
- two answers (written): the process that was forked, then its exit status, negative for a signal.

The forked process is a copy of one in which nothing has happened but ``import torch``, which is where
``python -m <module>`` would be a second or two later. It leads a session of its own.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from inside_torch.run.process import Finished, end, end_group, run, unlock_extensions

#: Where forking a process that has loaded much is safe.
CAN_FORK = sys.platform == "linux"


class ForkServer:
    """A context whose :meth:`run` does what :func:`inside_torch.run.process.run` does, without the import.

    The server begins with the first request, and anew where one brings another environment.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._environment: dict[str, str] = {}
        self._pipe: Connection

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def run(self, command: list[str], *, cwd: Path, timeout: float, env: dict[str, str]) -> Finished:
        """Run ``[python, "-m", module, argument…]``, a module with a ``main()``, to its end or to ``timeout``
        seconds.
        """
        python, flag, module, *arguments = command
        if not CAN_FORK:
            return run(command, cwd=cwd, timeout=timeout, env=env)
        assert (python, flag) == (sys.executable, "-m"), command
        if env != self._environment:
            self._end()
        with tempfile.TemporaryDirectory(prefix="inside-torch-fork-") as scratch:
            output, errors = Path(scratch) / "output", Path(scratch) / "errors"
            request = {
                "module": module,
                "arguments": arguments,
                "cwd": str(cwd),
                "output": str(output),
                "errors": str(errors),
            }
            try:
                if self._process is None:
                    self._start(env)
                self._pipe.send_bytes(json.dumps(request).encode())
                status = self._follow(json.loads(self._pipe.recv_bytes()), timeout)
            except (EOFError, OSError):
                self._end()
                raise RuntimeError("the fork server ended") from None
            if status is None:  # the dead hold no lock any more
                unlock_extensions(env)
            texts = [file.read_bytes().decode("utf-8", "replace") for file in (output, errors)]
        return Finished(status, *texts)

    def _follow(self, child: int, timeout: float) -> int | None:
        """The exit status of the forked process, None where the time limit ended it."""
        ended = self._pipe.poll(timeout)
        status = json.loads(self._pipe.recv_bytes()) if ended else None
        end_group(child, lambda: ended or self._pipe.recv_bytes())
        return status

    def _start(self, env: dict[str, str]) -> None:
        self._pipe, far = Pipe()
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "inside_torch.run.fork_server", str(far.fileno())],
                env=env,
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._environment = env

    def _end(self) -> None:
        if self._process is not None:
            self._pipe.close()
            end(self._process)
            self._process = None


def main() -> None:
    """Fork for each request until there is nobody to ask; in the forked process, run what was asked for."""
    import torch  # noqa: F401, so that no program has to

    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    with Connection(descriptor) as pipe:
        while True:
            try:
                request = json.loads(pipe.recv_bytes())
            except EOFError:
                return
            ready, begun = os.pipe()
            child = os.fork()
            if not child:
                os.close(ready)
                os.setsid()
                os.close(begun)
                break
            os.close(begun)
            os.read(ready, 1)  # returns when it leads its session, and can be ended
            os.close(ready)
            pipe.send_bytes(json.dumps(child).encode())
            status = os.waitpid(child, 0)[1]
            pipe.send_bytes(json.dumps(os.waitstatus_to_exitcode(status)).encode())
    os.chdir(request["cwd"])
    for descriptor, name in ((1, "output"), (2, "errors")):
        with open(request[name], "wb") as file:
            os.dup2(file.fileno(), descriptor)
    module = importlib.import_module(request["module"])
    sys.argv = [str(module.__file__), *request["arguments"]]
    sys.path[0] = request["cwd"]
    module.main()


if __name__ == "__main__":
    main()
