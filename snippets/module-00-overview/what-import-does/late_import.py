"""The first optimizer of a process. `path()` makes it, and TorchDynamo is imported on the way."""

import os
import sys
import traceback
from pathlib import Path

import torch


def path():
    return torch.optim.SGD([torch.ones(2)], lr=0.1)


# region doors
DOORS = {
    "an addition": "torch.ones(2) + 1",
    "a backward pass": "torch.ones(2, requires_grad=True).sum().backward()",
    "a call of a module": "torch.nn.Linear(2, 2)(torch.ones(1, 2))",
    "torch.func.vmap": "torch.func.vmap(torch.sin)(torch.ones(2))",
    "an optimizer": "torch.optim.SGD([torch.ones(2)], lr=0.1)",
    "torch.func.grad": "torch.func.grad(torch.sin)(torch.ones(()))",
    "an addition on meta": "torch.ones(2, device='meta') + 1",
    "a matrix product on meta": "torch.ones(2, 2, device='meta') @ torch.ones(2, 2, device='meta')",
    "the profiler": "with torch.profiler.profile(): pass",
    "a question": "hasattr(torch, '_dynamo')",
    "torch.compile, not called": "torch.compile(torch.sin)",
}
BACKENDS = {name: f"torch.compile(torch.sin, backend='{name}')" for name in ("eager", "inductor")}

PACKAGE = Path(torch.__file__).parent


def asking(statement, module):
    """Which line of torch's asks for a module while a statement runs: file and function. Tried in a fork."""
    read, write = os.pipe()
    if os.fork() == 0:
        sys.modules[module] = None  # who asks for it now gets an error, with a traceback
        who = "nobody"
        try:
            exec(statement)
        except ModuleNotFoundError as error:
            for frame in traceback.extract_tb(error.__traceback__):
                if Path(frame.filename).is_relative_to(PACKAGE):
                    who = f"{Path(frame.filename).relative_to(PACKAGE.parent)}, in {frame.name}"
        os.write(write, who.encode())
        os._exit(0)
    os.close(write)
    os.wait()
    with os.fdopen(read) as said:
        return said.read()


# endregion

if __name__ == "__main__":
    assert "torch._dynamo" not in sys.modules
    for name, statement in DOORS.items():
        print(f"{name}: {asking(statement, 'torch._dynamo')}")
    path()
    print("-- with Dynamo imported, who asks for torch._inductor.compile_fx")
    for name, statement in BACKENDS.items():
        print(f"torch.compile, backend {name}, not called: {asking(statement, 'torch._inductor.compile_fx')}")
