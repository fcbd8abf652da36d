"""gdb on `import torch` itself: where the libraries register, and what C++ does for the import afterwards."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# region stops
STOPS = (
    "c10::Dispatcher::registerLibrary",
    "c10::Dispatcher::registerDef",
    "c10::Dispatcher::registerImpl",
    "initModule",
    "torch::utils::validate_numpy_for_dlpack_deleter_bug",
    "THPModule_initExtension",
    "torch::utils::is_numpy_available",
)
# endregion

# What runs inside gdb: the first stop at each place, each stack with the library of each frame. The symbols
# of four libraries are read when the loader has mapped them and run none; the last stop ends the process.
INSIDE_GDB = """
import gdb, os

class First(gdb.Breakpoint):
    def stop(self):
        frame = gdb.newest_frame()
        if "@plt" in (frame.name() or ""):
            return False
        self.enabled = False
        while frame is not None:
            library = os.path.basename(gdb.solib_name(frame.pc()) or "python")
            print("FRAME", library, frame.name() or "?", sep="\\t")
            frame = frame.older()
        print("STOP")
        First.left -= 1
        return First.left == 0

gdb.execute("catch load libtorch_cpu")
gdb.execute("run")
for library in ("libtorch_cpu", "libtorch_python", "ld-linux", "libc.so"):
    gdb.execute("sharedlibrary " + library)
First.left = len({stops!r})
for symbol in {stops!r}:
    First(symbol, qualified=True)
gdb.execute("continue")
gdb.execute("kill")
"""

SETTINGS = (
    "set startup-with-shell off",
    "set debuginfod enabled off",
    "set breakpoint pending off",
    "set auto-solib-add off",
    "set print thread-events off",
)


def stacks():
    """The stack of the first hit of each of STOPS, innermost frame first: pairs of library and symbol."""
    with tempfile.TemporaryDirectory() as folder:
        script, program = Path(folder, "inside.py"), Path(folder, "program.py")
        script.write_text(INSIDE_GDB.format(stops=STOPS))
        program.write_text("import torch\n")
        options = [part for setting in SETTINGS for part in ("-ex", setting)]
        options += ["-x", str(script)]
        command = ["gdb", "-q", "-nx", "-batch", *options, "--args", sys.executable, str(program)]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [[]]
    for line in lines:
        if line == "STOP":
            found.append([])
        elif line.startswith("FRAME"):
            found[-1].append(tuple(line.split("\t")[1:]))
    return found[:-1]


# region short
def short(symbol):
    """A symbol without arguments; of a static initialiser, only that it is one."""
    if re.match(r"_GLOBAL__sub_I_|__static_initialization", symbol):
        return "a static initialiser"
    return re.sub(r"\(.*", "", symbol)


def summary(stack):
    """The way from the stop down to Python: what lies between the loader and the stop is left out."""
    found = []
    for library, symbol in stack:
        if re.match(r"lib(torch|c10)", library):
            found.append(f"{short(symbol)}, in {library.split('.')[0]}")
        elif library.startswith("ld-"):
            found = [found[0], next(line for line in found if line.startswith("a static")), "the loader"]
            break
        elif "python" in library:
            break
    return [*found, "Python"]


# endregion

if __name__ == "__main__":
    ways = [summary(stack) for stack in stacks()]  # in the order of the run
    ways[:3] = sorted(ways[:3], key=lambda way: STOPS.index(way[0].split(",")[0]))
    for first, *below in ways:
        print(first)
        for line in below:
            print("    <-", line)
