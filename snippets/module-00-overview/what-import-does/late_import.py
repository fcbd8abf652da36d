"""The first optimizer of a process. `path()` makes it, and TorchDynamo is imported on the way."""

import subprocess
import sys

import torch

weight = torch.ones(2, requires_grad=True)


def path():
    return torch.optim.SGD([weight], lr=0.1)


# region doors
DOORS = {
    "an addition": "torch.ones(2) + 1",
    "a backward pass": "torch.ones(2, requires_grad=True).sum().backward()",
    "a call of a module": "torch.nn.Linear(2, 2)(torch.ones(1, 2))",
    "torch.func.vmap": "torch.func.vmap(torch.sin)(torch.ones(2))",
    "an optimizer": "torch.optim.SGD([torch.ones(2)], lr=0.1)",
    "torch.func.grad": "torch.func.grad(torch.sin)(torch.ones(()))",
    "an addition on meta": "torch.ones(2, device='meta') + 1",
    "the profiler": "with torch.profiler.profile(): pass",
    "a question": "hasattr(torch, '_dynamo')",
    "torch.compile, not called": "torch.compile(torch.sin)",
}
ASK = """
import sys, torch
assert not {modules} & sys.modules.keys()
{statement}
print(*sorted({modules} & sys.modules.keys()))
"""
# endregion
MODULES = {"torch._dynamo", "torch._inductor.compile_fx", "sympy"}


def imported_by(statement):
    """Which of MODULES one statement imports, in a process of its own."""
    code = ASK.format(modules=MODULES, statement=statement)
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return child.stdout.split()


if __name__ == "__main__":
    path()
    for name, statement in DOORS.items():
        print(f"{name}:", *imported_by(statement) or ["none of the three"])
