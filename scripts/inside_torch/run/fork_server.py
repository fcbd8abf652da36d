"""A process that has imported torch and forks for each program, so that torch is imported once for many.

``python -m inside_torch.run.fork_server <descriptor> [<module> …]`` imports torch and the modules, and reads
from one end of a pipe. Each message is JSON:

- a request (read): ``{"module": name, "arguments": [text], "cwd": path, "output": path, "errors": path}``;
- two answers (written): the process that was forked, then its exit status, negative for a signal.

The forked process is a copy of one in which nothing has happened but ``import torch``, which is where
``python -m <module>`` would be a second or two later, but that the garbage collector, and
``gc.get_objects``, pass over what there was at the fork. It leads a session of its own. A file that imports
TorchDynamo or Inductor, or calls what does, gets a copy of one in which that has happened too, and the import
of what runs pages. There guards are made and not timed, and Inductor knows already what it finds out once in
a process. At the end, static objects of the C++ libraries that were loaded at the fork are left to the
system.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from inside_torch.claims.child import leave_guards_unmeasured
from inside_torch.run.process import Finished, end, end_group, run, unlock_extensions

#: Where forking a process that has loaded much is safe.
CAN_FORK = sys.platform == "linux"
#: Modules that take a second each, and what in a file's text says that it imports them, or calls what does.
_HEAVY = {
    "torch._dynamo": re.compile(
        r"""^(?:import|from)[ ]torch\._(?:dynamo|functorch|inductor)\b | \btorch\.(?:compile\(|func\b)
        | \boptim\.[A-Z]\w*\( | \bmake_fx\b | \bFakeTensorMode\b | ["']meta["']""",
        re.MULTILINE | re.VERBOSE,
    ),
    "torch._inductor.compile_fx": re.compile(
        r"^(?:import|from) torch\._inductor\b|\btorch\.compile\((?!.*\bbackend\b)", re.MULTILINE
    ),
}
#: What runs pages and exercises, half a second of imports: for them, and where a copy has more than torch
#: anyway.
_OURS = ("inside_torch.run.page_run", "inside_torch.run.exercises")
#: A file that looks at what is imported, or sets what an import reads, gets torch alone.
_LOOKS = re.compile(r"sys\.modules|os\.environ")
_PROBE = re.compile(r"^```python.*?^```$", re.MULTILINE | re.DOTALL)
_OWN = re.compile(r"^(?:import|from) (\w+)", re.M)


def imported(place: Path) -> tuple[str, ...]:
    """The heavy modules that a program, the files that it imports or those of a folder import; of a page, its
    probes.
    """
    files = sorted(place.glob("*.py")) if place.is_dir() else [place]
    texts = []
    for file in files:  # grows while it is gone through
        text = file.read_text("utf-8")
        above = file.absolute().parents
        folders = [above[0], above[2]]  # an exercise may import what lies in the folder of its article
        if file.suffix == ".md":  # its programs are in a folder of its name
            text = "\n".join(_PROBE.findall(text))
            folders = [above[3] / "snippets" / above[0].name / file.stem]
        texts.append(text)
        own = (folder / f"{name}.py" for name in _OWN.findall(text) for folder in folders)
        files += [other for other in own if other.is_file() and other not in files]
    text = "\n".join(texts)
    return () if _LOOKS.search(text) else tuple(name for name, by in _HEAVY.items() if by.search(text))


@dataclass
class _Server:
    process: subprocess.Popen[bytes]
    pipe: Connection


@dataclass
class Forked:
    """A process that was forked: :attr:`id`, and the files that it writes to."""

    id: int
    pipe: Connection
    output: Path
    errors: Path

    def end(self, timeout: float = 0) -> int | None:
        """The exit status, None where the process had to be ended after ``timeout`` seconds."""
        try:
            ended = self.pipe.poll(timeout)
            if not ended:
                with contextlib.suppress(ProcessLookupError):  # it has ended since
                    os.killpg(self.id, signal.SIGKILL)
            status = json.loads(self.pipe.recv_bytes())  # always, for what is left would be the next one's
            end_group(self.id, lambda: None)
        except (EOFError, OSError):
            raise RuntimeError("the fork server ended") from None
        return status if ended else None

    def ended(self) -> bool:
        """Whether it has ended by itself."""
        return self.pipe.poll()

    def written(self) -> list[str]:
        """What it has written to stdout and to stderr."""
        return [file.read_bytes().decode("utf-8", "replace") for file in (self.output, self.errors)]


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
        if not CAN_FORK:
            return run(command, cwd=cwd, timeout=timeout, env=env)
        with tempfile.TemporaryDirectory(prefix="inside-torch-fork-") as scratch:
            child = self.fork(command, cwd=cwd, env=env, folder=Path(scratch))
            status = child.end(timeout)
            if status is None:  # the dead hold no lock any more
                unlock_extensions(env)
            return Finished(status, *child.written())

    def fork(self, command: list[str], *, cwd: Path, env: dict[str, str], folder: Path) -> Forked:
        """Begin what :meth:`run` runs; what it writes goes to two files of ``folder``.

        It is ended before another is begun.
        """
        python, flag, module, *arguments = command
        assert (python, flag) == (sys.executable, "-m"), command
        if env != self._environment:
            self._end()
        places = [
            place for name in arguments if (place := cwd / name).suffix in (".py", ".md") or place.is_dir()
        ]
        modules = tuple(name for name in _HEAVY if any(name in imported(p) for p in places if p.exists()))
        if modules or module in _OURS:
            modules += _OURS
        output, errors = folder / "output", folder / "errors"
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
            return Forked(json.loads(pipe.recv_bytes()), pipe, output, errors)
        except (EOFError, OSError):
            self._end()
            raise RuntimeError("the fork server ended") from None

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


def _settle() -> None:
    """Has Inductor find out, where it is imported, what is the same in each of its processes, and takes them
    longer than a small compilation: the digest of torch's files, and which vector instructions the compiler
    and the processor have, for which it loads a library in a process of its own.
    """
    leave_guards_unmeasured()
    if "torch._inductor.compile_fx" in sys.modules:
        from torch._inductor import codecache, cpu_vec_isa

        codecache.torch_key()
        cpu_vec_isa.valid_vec_isa_list()
        # Each set of instructions keeps its answer. The list hangs on a setting that a program may change.
        cpu_vec_isa.valid_vec_isa_list.cache_clear()


def _leave_libraries() -> None:
    """Has this process end, once Python is done, without the destructors of the libraries that are loaded by
    now: those of torch take a fifth of a second, longer than most programs. What is loaded from here on still
    runs its own, for the last to register is the first to be called.
    """
    libc = ctypes.CDLL(None)
    libc.on_exit(libc._exit, None)
    libc.__cxa_atexit(libc.fflush, None, None)  # what is written by C and not yet by the system


def main() -> None:
    """Fork for each request until there is nobody to ask; in the forked process, run what was asked for."""
    descriptor = int(sys.argv[1])
    for name in ("torch", *sys.argv[2:]):
        importlib.import_module(name)
    _settle()
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
    _leave_libraries()
    module = importlib.import_module(request["module"])
    sys.argv = [str(module.__file__), *request["arguments"]]
    sys.path[0] = request["cwd"]
    module.main()


if __name__ == "__main__":
    main()
