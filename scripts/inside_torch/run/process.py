"""Child processes with a clean environment and a time limit that leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from inside_torch.run.capability import chosen
from inside_torch.run.machine import cuda_toolkit, torch_build

#: Variables of the reader's shell that would change what a program prints or does.
_DROPPED = (
    "PYTHON",
    "TORCH",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
    "KMP_",
    "PYTEST_",
    "COV_",
    "ATEN_",
    "INSIDE_TORCH_",
)
#: What makes OpenMP's idle threads sleep and not spin. On a machine that does other work as well, spinning
#: threads take the processors from the one that they wait for: some programs ran seven times as long. Nothing
#: that a program prints depends on it; what is measured does, and is measured without it.
PATIENT = {"OMP_WAIT_POLICY": "passive"}
_KEPT = ("TORCH_CUDA_ARCH_LIST", "TORCHINDUCTOR_CACHE_DIR", "TORCH_EXTENSIONS_DIR")

_TOOLKIT = Path("/usr/local/cuda")
_PROC = Path("/proc")
#: How many seconds a killed process may take to end, on a machine that is busy.
LINGER = 60


def environment(**more: str) -> dict[str, str]:
    """The environment of a run: the caller's without what changes torch or Python, and without colour.

    torch's capability is the one that :mod:`.capability` was told of, and no other.
    """
    kept = {
        name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(_DROPPED)
    }
    # ninja, which builds extensions, lies beside the interpreter.
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    # torch looks for the toolkit around the nvcc on the PATH, which may be a mere script that calls it.
    if toolkit := cuda_toolkit():
        kept["CUDA_HOME"] = str(toolkit)
    elif (_TOOLKIT / "bin" / "nvcc").is_file():
        kept.setdefault("CUDA_HOME", str(_TOOLKIT))
    kept |= {
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONIOENCODING": "utf-8",
        "NO_COLOR": "1",
    }
    kept |= {"TERM": "dumb", "COLUMNS": "110", "LC_ALL": "C.UTF-8"} | caches() | chosen() | more
    return kept


def caches() -> dict[str, str]:
    """One Inductor cache and one folder of built extensions for all runs, kept outside the book."""
    base = platformdirs.user_cache_path("inside-torch") / "-".join(
        [*torch_build(), sys.implementation.cache_tag]
    )
    return {
        name: os.environ.get(name) or str(base / folder)
        for name, folder in (("TORCHINDUCTOR_CACHE_DIR", "inductor"), ("TORCH_EXTENSIONS_DIR", "extensions"))
    }


class Quiet:
    """Keeps what this process writes to stderr, from Python or from C++, in :attr:`text` once it is left."""

    text = ""

    def __enter__(self) -> Quiet:
        sys.stderr.flush()
        self._before = os.dup(2)
        self._file = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        os.dup2(self._file.fileno(), 2)
        self._python = contextlib.redirect_stderr(self._file)
        self._python.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._python.__exit__(None, None, None)
        self._file.flush()
        os.dup2(self._before, 2)
        os.close(self._before)
        self._file.seek(0)
        self.text = self._file.read()
        self._file.close()


def unlock_extensions(env: dict[str, str]) -> None:
    """A build that is killed leaves its lock, and torch would wait for it for ever.

    Who builds has the lock open, so that those of other processes can be told and stay.
    """
    locks = [str(lock) for lock in Path(env["TORCH_EXTENSIONS_DIR"]).resolve().glob("*/lock")]
    held = _open_files() if locks else set()
    for lock in set(locks) - held:
        Path(lock).unlink(missing_ok=True)


def _open_files() -> set[str]:
    """What the processes of this user have open, by Linux's ``/proc``; elsewhere nothing is known of it."""
    found = set()
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):  # it ended, or is somebody else's
            found.add(os.readlink(descriptor))
    return found


def end(process: subprocess.Popen[Any]) -> None:
    """Kill a process that leads a session of its own, and what it started, which may outlive it."""
    end_group(process.pid, process.wait)
    process.wait()


def end_group(leader: int, reap: Callable[[], object]) -> None:
    """Kill the processes of a session; ``reap`` waits for its leader.

    Returns when they have let go of their files. The dead may stay in the group, where nobody reaps them.
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
        reap()
        late = time.monotonic() + (LINGER if _PROC.is_dir() else 2)
        while time.monotonic() < late and _alive(leader):
            os.killpg(leader, 0)
            time.sleep(0.01)


def _alive(group: int) -> bool:
    """Whether a process of a group still has to end, by Linux's ``/proc``; elsewhere it may."""
    if not _PROC.is_dir():
        return True
    for stat in _PROC.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            state, _, in_group = stat.read_text().rpartition(")")[2].split()[:3]
            if int(in_group) == group and state not in "ZX":
                return True
    return False


@dataclass(frozen=True)
class Finished:
    """A process that ended: ``status`` is its exit status, None where the time limit ended it."""

    status: int | None
    output: str
    errors: str


#: How a process is run: :func:`run`, or that of a server which forks.
Run = Callable[..., "Finished"]


def run(command: list[str], *, cwd: Path, timeout: float, env: dict[str, str]) -> Finished:
    """Run a command to its end or to ``timeout`` seconds, when its whole process group is killed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            status: int | None = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            end(process)
        if status is None:  # the dead hold no lock any more
            unlock_extensions(env)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace"))
    return Finished(status, *texts)
