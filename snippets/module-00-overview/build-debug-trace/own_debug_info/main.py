"""One file compiled with -g and with the dispatcher's trace, against the release wheel."""

import os
import re
import subprocess
import sys
from pathlib import Path

import torch
from torch.utils.cpp_extension import load

SOURCE = Path(__file__).with_name("traced.cpp")


# region build
def build():
    # The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    flags = ["-g", "-O0", "-DNDEBUG", "-DHAS_TORCH_SHOW_DISPATCH_TRACE"]
    load("book_debug", [str(SOURCE)], extra_cflags=flags, is_python_module=False)


# endregion


# region child
def child():
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = torch.tensor([10.0, 20.0, 30.0])
    print("a + b", flush=True)
    a + b
    print("book_debug.plain(a, b)", flush=True)
    torch.ops.book_debug.plain(a, b)
    print("book_debug.add(a, b)", flush=True)
    torch.ops.book_debug.add(a, b)


# endregion

# region session
LINE = next(number for number, text in enumerate(SOURCE.read_text().splitlines(), 1) if "op.call" in text)
GDB = (
    "set startup-with-shell off",
    "set debuginfod enabled off",
    "set breakpoint pending on",
    f"break traced.cpp:{LINE}",
    "run",
    "info args",
    "tbreak c10::Dispatcher::call",
    "continue",
    "backtrace 3",
    "kill",
)
# endregion


def run(*command):
    environment = os.environ | {"TORCH_SHOW_DISPATCH_TRACE": "1"}
    finished = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
    )
    # Where a CUDA toolkit is installed and no GPU, torch says so.
    return [line for line in finished.stdout.splitlines() if "No CUDA runtime is found" not in line]


if __name__ == "__main__":
    build()
    if "TORCH_SHOW_DISPATCH_TRACE" in os.environ:
        child()
        sys.exit()
    for line in run(sys.executable, __file__):
        print(line)
    options = [part for command in GDB for part in ("-ex", command)]
    for line in run("gdb", "-q", "-nx", "-batch", *options, "--args", sys.executable, __file__):
        if at := re.search(r"^(#\d) +(?:0x\w+ in )?([\w:]+).* at \S*?(traced.cpp|ATen/\S+):(\d+)$", line):
            print("gdb", *at.groups())
        elif argument := re.match(r"(\w+) = @\w+: \{<(at::\w+)>", line):
            print("gdb argument", *argument.groups())
