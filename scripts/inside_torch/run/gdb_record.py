"""Runs inside gdb: collects the stacks of a traced program and prints nothing but what it wrote.

gdb embeds a Python of its own, so this file imports nothing beyond the standard library. It is started by
:mod:`inside_torch.run.trace`, which names a folder in ``INSIDE_TORCH_TRACE``:

- ``request.json`` (read): ``{"breakpoints": [symbol], "libraries": [path prefix]}``;
- ``events`` (read): one line for each SIGTRAP that :mod:`inside_torch.run.region` raises:
  ``begin``, ``enter <index>``, ``leave <index>``, ``end`` or ``failed``;
- ``stacks.json`` (written): gdb's version, stacks, hits a breakpoint, symbols that are missing, an error.

The traced process stops at every breakpoint and every SIGTRAP, one after the other, so that what Python says
and what gdb sees stand in one order. A Python function is put above the C++ frames that were on its thread's
stack when it was entered: they stay below it until it returns.
"""

import json
import os
import re

import gdb

FOLDER = os.environ["INSIDE_TORCH_TRACE"]
LIBRARY = re.compile(r"/lib(torch|c10)[^/]*\.(so|dylib)[^/]*$")

with open(os.path.join(FOLDER, "request.json")) as stream:
    REQUEST = json.load(stream)


class Events:
    """The lines that the region has written, read as they come; an empty list where there is no new one."""

    def __init__(self):
        self.at = 0

    def next(self):
        try:
            with open(os.path.join(FOLDER, "events")) as stream:
                stream.seek(self.at)
                line = stream.readline()
                self.at = stream.tell()
        except FileNotFoundError:
            return []
        return line.split()


class Listener(gdb.Breakpoint):
    """Collects the stack where a symbol is reached, and lets the program go on."""

    def __init__(self, symbol, reached):
        super().__init__(symbol, qualified=True)
        self.symbol = symbol
        self.reached = reached

    def stop(self):
        if "@plt" not in (gdb.newest_frame().name() or ""):  # the stub that jumps to it is another location
            self.reached(self.symbol)
        return False


def of_torch(path):
    """Whether a library's frames are kept: torch's own, and extensions that the program built."""
    return bool(path) and bool(
        LIBRARY.search(path) or any(path.startswith(prefix) for prefix in REQUEST["libraries"])
    )


def stack():
    """The kept C++ symbols of the selected thread, outermost first."""
    found = []
    frame = gdb.newest_frame()
    while frame is not None:
        name = frame.name()
        if name and "@plt" not in name and of_torch(gdb.solib_name(frame.pc())):
            found.append(name)
        try:
            frame = frame.older()
        except gdb.error:  # the unwinder met a frame that it cannot pass
            break
    found.reverse()
    return found


def nearest(symbol):
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

    def __init__(self):
        self.stacks = []  # {"thread": number, "frames": [["cpp", symbol] or ["python", index]]}
        self.hits = dict.fromkeys(REQUEST["breakpoints"], 0)
        self.seen = set()
        self.threads = {}  # gdb's thread number -> ours, 0 for the thread that called path()
        self.active = {}  # ours -> [(index of the Python function, number of C++ frames below it)]

    def thread(self):
        return self.threads.setdefault(gdb.selected_thread().num, len(self.threads))

    def reached(self, symbol):
        self.hits[symbol] += 1
        self.keep(stack())

    def entered(self, index):
        native = stack()
        self.active.setdefault(self.thread(), []).append((index, len(native)))
        self.keep(native)

    def left(self, index):
        """Whether the function was the innermost one."""
        functions = self.active.get(self.thread(), [])
        return bool(functions) and functions.pop()[0] == index

    def keep(self, native):
        thread, frames, placed = self.thread(), [], 0
        for index, below in self.active.get(thread, []):
            frames += [["cpp", name] for name in native[placed:below]]
            frames.append(["python", index])
            placed = max(placed, below)
        frames += [["cpp", name] for name in native[placed:]]
        key = (thread, *map(tuple, frames))
        if frames and key not in self.seen:
            self.seen.add(key)
            self.stacks.append({"thread": thread, "frames": frames})


def record():
    """Run the program and return what was seen: the stacks, the hits of each breakpoint, what is missing."""
    result = {"gdb": gdb.VERSION, "stacks": [], "hits": {}, "missing": {}, "error": ""}
    for setting in (
        "set pagination off",
        "set confirm off",
        "set startup-with-shell off",
        "set debuginfod enabled off",
        "set breakpoint pending off",
        "set print thread-events off",
        "handle SIGTRAP stop nopass print",
    ):
        gdb.execute(setting, to_string=True)
    events = Events()
    gdb.execute("run", to_string=True)
    if events.next() != ["begin"]:
        result["error"] = "the program ended before path() was called"
        return result

    recorder = Recorder()
    recorder.thread()
    for symbol in REQUEST["breakpoints"]:
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


try:
    outcome = record()
except gdb.error as problem:
    outcome = {"gdb": gdb.VERSION, "stacks": [], "hits": {}, "missing": {}, "error": f"gdb: {problem}"}
if gdb.selected_thread() is not None:
    gdb.execute("kill", to_string=True)
with open(os.path.join(FOLDER, "stacks.json"), "w") as stream:
    json.dump(outcome, stream)
