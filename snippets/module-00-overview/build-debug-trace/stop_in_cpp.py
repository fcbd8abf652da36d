"""gdb on the release wheel: a breakpoint in a static C++ function, both stacks, and no line of source."""

import re
import subprocess
import sys
from pathlib import Path

# region commands
COMMANDS = (
    "set startup-with-shell off",
    "set debuginfod enabled off",
    "set breakpoint pending on",
    "break at::(anonymous namespace)::wrapper_CPU_add_Tensor",
    "run",
    "backtrace 8",
    "info line",
    "break infer_size_impl",
    "call (void)_Py_DumpTracebackThreads(1, 0, 0)",
    "break at::native::(anonymous namespace)::add_kernel",
    "continue",
    "backtrace 2",
    "kill",
)
# endregion


def session(program):
    """What gdb says to COMMANDS, line by line."""
    options = [part for command in COMMANDS for part in ("-ex", command)]
    command = ["gdb", "-q", "-nx", "-batch", *options, "--args", sys.executable, str(program)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def short(frame):
    """A frame of gdb's backtrace as the bare name of its function: no address, templates or arguments."""
    name = re.sub(r"^#\d+ +(0x\w+ in )?", "", frame).split(" () from ")[0]
    name = name.replace("(anonymous namespace)", "@")
    for _ in range(name.count("<")):
        name = re.sub(r"<[^<>]*>", "", name)
    return re.sub(r"\(.*", "", name).split(" ")[-1].replace("@", "(anonymous namespace)")


if __name__ == "__main__":
    for line in session(Path(__file__).with_name("one_add.py")):
        if line.startswith("#"):
            print("C++   ", short(line))
        elif line.startswith("No line number"):
            print("gdb   ", line)
        elif found := re.match(r"Breakpoint 2 at 0x\w+.* \((\d+ locations)\)", line):
            print("gdb    infer_size_impl:", found[1])
        elif line.startswith("  File"):
            print("Python", re.sub(r'"(.*/)?(\w+\.py)"', r"\2", line.strip()))
