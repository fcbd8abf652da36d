"""Two artefacts of TORCH_LOGS: where Dynamo had to stop, and why it compiled a function again."""

import os
import subprocess
import sys
from pathlib import Path

import torch

# region compiled
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


@torch.compile(backend="eager")
def add(a, b):
    c = a + b
    torch._dynamo.graph_break()
    return c.sum()


# endregion

if __name__ == "__main__":
    if "TORCH_LOGS" in os.environ:
        add(a, b)
        add(a[:2], b[:2])
        sys.exit()
    # region logs
    settings = {"TORCH_LOGS": "graph_breaks,recompiles", "TORCH_LOGS_FORMAT": "%(name)s %(message)s"}
    command = [sys.executable, __file__]
    child = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=True)
    # endregion
    print(child.stdout, end="")
    for line in filter(None, child.stderr.splitlines()):
        print(line.replace(str(Path(__file__).parent) + os.sep, ""))

    # The same at the level of the modules: not every artefact speaks.
    settings["TORCH_LOGS"] = "+dynamo"
    child = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=True)
    print("+dynamo:", *(name for name in ("graph_breaks", "recompiles") if f".__{name} " in child.stderr))
