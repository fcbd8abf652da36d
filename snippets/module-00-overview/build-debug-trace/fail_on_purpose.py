"""An addition of shapes that do not broadcast. `path()` is the way of the error, from the check to Python."""

import os
import re
import subprocess
import sys

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0])


def path():
    try:
        return a + b
    except RuntimeError as error:
        return str(error)


# region short
def short(frame):
    """`#9 at::f<int>(long) from ??:0` as `at::f`."""
    name = re.sub(r"^#\d+ ", "", frame).split(" from ")[0].replace("(anonymous namespace)", "@")
    for _ in range(name.count("<")):
        name = re.sub(r"<[^<>]*>", "", name)
    return re.sub(r"\(.*", "", name).split(" ")[-1].replace("@", "(anonymous namespace)")


# endregion

if __name__ == "__main__":
    if "TORCH_SHOW_CPP_STACKTRACES" in os.environ:
        print(path())
        sys.exit()
    os.environ["TORCH_SHOW_CPP_STACKTRACES"] = "1"  # too late for this process, in time for the next
    print("in this process:", path())

    child = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=True)
    print("in one that was started with the variable:")
    for line in child.stdout.splitlines():
        if "::" in line.split("(")[0] and line.startswith("#"):
            print("    #", short(line))
        elif line and not line.startswith("#"):
            print("   ", re.sub(r" at /\S*?/(aten/)", r" at \1", line))
