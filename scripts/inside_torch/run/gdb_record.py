"""Runs inside gdb: collects the stacks of traced programs, one after the other.

gdb embeds a Python of its own, so this file imports nothing beyond the standard library. It is started by
:mod:`inside_torch.run.debugger` with one end of a pipe, whose descriptor ``INSIDE_TORCH_GDB`` names, and ends
when the other end is closed. Each message is one object in JSON:

- a request (read): ``{"process": id, "folder": path, "breakpoints": [symbol], "libraries": [path prefix]}``;
- its answer (written): ``{"gdb": version, "stacks": […], "hits": {breakpoint: count}, "missing": {symbol:
  [symbols that are there]}, "error": text}``.

In the request's folder the process, one of :mod:`inside_torch.run.traced_program` that waits for gdb, writes
``events``, one line for each SIGTRAP that it raises: ``begin``, ``enter <index>``, ``leave <index>``, ``end``
or ``failed``.

It stops at every breakpoint and every SIGTRAP, one after the other, so that what Python says
and what gdb sees stand in one order. A Python function is put above the C++ frames that were on its thread's
stack when it was entered: they stay below it until it returns.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import gdb

#: torch's, and the one that stands before NVIDIA's on the dry GPU.
LIBRARY = re.compile(r"/lib(torch|c10|dry)[^/]*\.(so|dylib)[^/]*$")


class Events:
    """The lines that the region has written, read as they come; an empty list where there is no new one."""

    def __init__(self, folder: str) -> None:
        self.file = os.path.join(folder, "events")
        self.at = 0

    def next(self) -> list[str]:
        try:
            with open(self.file) as stream:
                stream.seek(self.at)
                line = stream.readline()
                self.at = stream.tell()
        except FileNotFoundError:
            return []
        return line.split()


class Listener(gdb.Breakpoint):
    """Collects the stack where a symbol is reached, and lets the program go on."""

    def __init__(self, symbol: str, reached: Callable[[str], None]) -> None:
        super().__init__(symbol, qualified=True)
        self.symbol = symbol
        self.reached = reached

    def stop(self) -> bool:
        if "@plt" not in (gdb.newest_frame().name() or ""):  # the stub that jumps to it is another location
            self.reached(self.symbol)
        return False


def nearest(symbol: str) -> list[str]:
    """Symbols of the same class, or that begin alike in the same namespace, or of the same name elsewhere."""
    parent, _, last = symbol.rpartition("::")
    owner = parent.rpartition("::")[2]
    names = set()
    for pattern in {f"{owner}::{'' if owner[:1].isupper() else last[:2]}", last}:
        for line in gdb.execute(f"info functions -q {pattern}", to_string=True).splitlines():
            if re.match(r"0x[0-9a-f]+\s", line) and "@plt" not in line and "[clone" not in line:
                names.add(line.split(None, 1)[1])
    return sorted(names, key=len)[:4000]


class Recorder:
    """Puts the C++ stacks and the Python functions of each thread together, in the order of the run."""

    def __init__(self, breakpoints: list[str], libraries: list[str]) -> None:
        self.libraries = libraries
        # {"thread": number, "frames": [["cpp", symbol] or ["python", index]]}
        self.stacks: list[dict[str, Any]] = []
        self.hits = dict.fromkeys(breakpoints, 0)
        self.last: dict[int, list[list[str | int]]] = {}  # the last stack of each thread
        self.threads: dict[int, int] = {}  # gdb's thread number -> ours, 0 for the thread that called path()
        # ours -> [(index of the Python function, number of C++ frames below it)]
        self.active: dict[int, list[tuple[int, int]]] = {}

    def thread(self) -> int:
        return self.threads.setdefault(gdb.selected_thread().num, len(self.threads))

    def kept(self, path: str | None) -> bool:
        """Whether a library's frames are kept: :data:`LIBRARY`, and extensions that the program built."""
        if not path:
            return False
        return bool(LIBRARY.search(path)) or any(path.startswith(prefix) for prefix in self.libraries)

    def stack(self) -> list[str]:
        """The kept C++ symbols of the selected thread, outermost first."""
        found = []
        frame = gdb.newest_frame()
        while frame is not None:
            name = frame.name()
            if name and "@plt" not in name and self.kept(gdb.solib_name(frame.pc())):
                found.append(name)
            try:
                frame = frame.older()
            except gdb.error:  # the unwinder met a frame that it cannot pass
                break
        found.reverse()
        return found

    def reached(self, symbol: str) -> None:
        self.hits[symbol] += 1
        self.keep(self.stack())

    def entered(self, index: int) -> None:
        native = self.stack()
        self.active.setdefault(self.thread(), []).append((index, len(native)))
        self.keep(native)

    def left(self, index: int) -> bool:
        """Whether the function was the innermost one."""
        functions = self.active.get(self.thread(), [])
        return bool(functions) and functions.pop()[0] == index

    def keep(self, native: list[str]) -> None:
        thread, placed = self.thread(), 0
        frames: list[list[str | int]] = []
        for index, below in self.active.get(thread, []):
            frames += [["cpp", name] for name in native[placed:below]]
            frames.append(["python", index])
            placed = max(placed, below)
        frames += [["cpp", name] for name in native[placed:]]
        if frames and frames != self.last.get(thread):
            self.last[thread] = frames
            self.stacks.append({"thread": thread, "frames": frames})


SETTINGS = (
    "set pagination off",
    "set confirm off",
    "set debuginfod enabled off",
    "set breakpoint pending off",
    "set print thread-events off",
    "handle SIGTRAP stop nopass print",
)


def record(request: dict[str, Any]) -> dict[str, Any]:
    """Run a program and return what was seen: the stacks, the hits of each breakpoint, what is missing."""
    result: dict[str, Any] = {"stacks": [], "hits": {}, "missing": {}, "error": ""}
    events = Events(request["folder"])
    try:
        gdb.execute(f"attach {request['process']}", to_string=True)
    except gdb.error as problem:
        hint = "Linux refuses it where kernel.yama.ptrace_scope is 2 or 3"
        raise gdb.error(f"it could not attach to the program: {problem} ({hint})") from None
    gdb.execute("continue", to_string=True)
    if events.next() != ["begin"]:
        result["error"] = "the program did not come to path()"
        return result

    recorder = Recorder(request["breakpoints"], request["libraries"])
    recorder.thread()
    for symbol in request["breakpoints"]:
        try:
            found = not Listener(symbol, recorder.reached).pending
        except gdb.error:
            found = False
        if not found:
            result["missing"][symbol] = nearest(symbol)
    if result["missing"]:
        return result

    while True:
        gdb.execute("continue", to_string=True)
        if gdb.selected_thread() is None:
            result["error"] = "the program ended inside path()"
            break
        event = events.next()
        if not event:
            result["error"] = "path() was stopped: " + " ".join(
                gdb.execute("info program", to_string=True).split()
            )
            break
        if event == ["end"]:
            break
        if event == ["failed"]:
            result["error"] = "path() raised an exception"
            break
        index = int(event[1])
        if event[0] == "enter":
            recorder.entered(index)
        elif not recorder.left(index):
            result["error"] = "a Python function returned that had not been entered"
            break
    result["stacks"], result["hits"] = recorder.stacks, recorder.hits
    return result


def hold(held: set[str]) -> None:
    """Keep what was read of torch's libraries, most of a short run's time, for the programs that follow.

    gdb keeps a file and its symbols as long as some inferior has it for its executable; as that one is told
    of no symbols, no breakpoint gets a further location. ``held`` is the set of files so kept.
    """
    for objfile in gdb.objfiles():
        if objfile.filename not in held and LIBRARY.search(objfile.filename or ""):
            gdb.execute("add-inferior -no-connection", to_string=True)
            gdb.execute(f"inferior {max(inferior.num for inferior in gdb.inferiors())}", to_string=True)
            gdb.execute(f"exec-file {objfile.filename}", to_string=True)
            gdb.execute("inferior 1", to_string=True)
            held.add(objfile.filename)


def answer(request: dict[str, Any], held: set[str]) -> dict[str, Any]:
    """The answer to a request; afterwards no process and no breakpoint of it is left."""
    try:
        found = record(request)
        hold(held)
    except gdb.error as problem:
        found = {"stacks": [], "hits": {}, "missing": {}, "error": f"gdb: {problem}"}
    if gdb.selected_thread() is not None:
        gdb.execute("kill", to_string=True)
    gdb.execute("delete breakpoints", to_string=True)
    return {"gdb": gdb.VERSION, **found}


def main() -> None:
    """Answer requests until there is nobody to ask."""
    descriptor = int(os.environ["INSIDE_TORCH_GDB"])
    os.set_inheritable(descriptor, False)
    for setting in SETTINGS:
        gdb.execute(setting, to_string=True)
    held: set[str] = set()
    with Connection(descriptor) as pipe:
        while True:
            try:
                request = json.loads(pipe.recv_bytes())
            except EOFError:
                return
            pipe.send_bytes(json.dumps(answer(request, held)).encode())


main()
