"""A process that has imported torch and forks for each program, so that torch is imported once for many.

``python -m inside_torch.run.fork_server <descriptor> [<module> …]`` imports torch and the modules, and reads
from one end of a pipe. Each message is JSON:

- a request (read): ``{"module": name, "arguments": [text], "cwd": path, "output": path, "errors": path}``;
- two answers (written): the process that was forked, then its exit status, negative for a signal.

The forked process is a copy of one in which nothing has happened but ``import torch``, which is where
``python -m <module>`` would be a second or two later, but that the garbage collector, and
``gc.get_objects``, pass over what there was at the fork. It leads a session of its own. A file that imports
TorchDynamo or Inductor gets a copy of one in which that has happened too.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from inside_torch.run.process import Finished, end, end_group, run, unlock_extensions

#: Where forking a process that has loaded much is safe.
CAN_FORK = sys.platform == "linux"
#: Modules that take a second each, and what in a file's text says that it imports them.
_HEAVY = {
    "torch._dynamo": re.compile(r"^(?:import|from) torch\._(?:dynamo|inductor)\b|\btorch\.compile\(", re.M),
    "torch._inductor.compile_fx": re.compile(r"^(?:import|from) torch\._inductor\b", re.M),
}
#: A file that looks at what is imported, or sets what an import reads, gets torch alone.
_LOOKS = re.compile(r"sys\.modules|environ")
_OWN = re.compile(r"^(?:import|from) (\w+)", re.M)


def imported(place: Path) -> tuple[str, ...]:
    """The heavy modules that a program, the files that it imports or those of a folder import; of a page, its
    code.
    """
    files = sorted(place.glob("*.py")) if place.is_dir() else [place]
    texts = []
    for file in files:  # grows while it is gone through
        texts.append(file.read_text("utf-8"))
        own = (file.with_name(f"{name}.py") for name in _OWN.findall(texts[-1]) if file.suffix == ".py")
        files += [other for other in own if other.is_file() and other not in files]
    text = "\n".join(texts)
    return () if _LOOKS.search(text) else tuple(name for name, by in _HEAVY.items() if by.search(text))


@dataclass
class _Server:
    process: subprocess.Popen[bytes]
    pipe: Connection


class ForkServer:
    """A context whose :meth:`run` does what :func:`inside_torch.run.process.run` does, without the import.

    A server begins with the first request for its modules, and anew where one brings another environment.
    """

    def __init__(self) -> None:
        self._servers: dict[tuple[str, ...], _Server] = {}
        self._environment: dict[str, str] = {}

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
        places = [
            place for name in arguments if (place := cwd / name).suffix in (".py", ".md") or place.is_dir()
        ]
        modules = tuple(name for name in _HEAVY if any(name in imported(p) for p in places if p.exists()))
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
                if modules not in self._servers:
                    self._start(modules, env)
                pipe = self._servers[modules].pipe
                pipe.send_bytes(json.dumps(request).encode())
                status = self._follow(pipe, json.loads(pipe.recv_bytes()), timeout)
            except (EOFError, OSError):
                self._end()
                raise RuntimeError("the fork server ended") from None
            if status is None:  # the dead hold no lock any more
                unlock_extensions(env)
            texts = [file.read_bytes().decode("utf-8", "replace") for file in (output, errors)]
        return Finished(status, *texts)

    def _follow(self, pipe: Connection, child: int, timeout: float) -> int | None:
        """The exit status of the forked process, None where the time limit ended it."""
        ended = pipe.poll(timeout)
        status = json.loads(pipe.recv_bytes()) if ended else None
        end_group(child, lambda: ended or pipe.recv_bytes())
        return status

    def _start(self, modules: tuple[str, ...], env: dict[str, str]) -> None:
        pipe, far = Pipe()
        with far:
            process = subprocess.Popen(
                [sys.executable, "-m", "inside_torch.run.fork_server", str(far.fileno()), *modules],
                env=env,
                pass_fds=[far.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._servers[modules] = _Server(process, pipe)
        self._environment = env

    def _end(self) -> None:
        for server in self._servers.values():
            server.pipe.close()
            end(server.process)
        self._servers.clear()


def main() -> None:
    """Fork for each request until there is nobody to ask; in the forked process, run what was asked for."""
    descriptor = int(sys.argv[1])
    for name in ("torch", *sys.argv[2:]):
        importlib.import_module(name)
    # What is here is never garbage: a fork need not go through it at each collection and at its end, which
    # takes more than most programs do, and copies each page that it touches.
    gc.collect()
    gc.freeze()
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
