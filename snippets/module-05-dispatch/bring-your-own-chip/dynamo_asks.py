"""What does Dynamo ask the module of a device, for a function on CPU tensors?

The backend is renamed and has a module with nothing in it. Then the module says that there is a device, and
then that there is none.
"""

import types

import torch

# region ask
torch.utils.rename_privateuse1_backend("abacus")
module = types.ModuleType("abacus")
torch._register_device_module("abacus", module)


def compiled() -> str:
    """What a compiled function returns for a tensor of the CPU, or the error that it raises."""
    torch._dynamo.reset()
    try:
        return str(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1, device="cpu")).tolist())
    except Exception as error:
        return str(error).strip().splitlines()[0]


print("no is_available:", compiled())
module.is_available = lambda: True
print("is_available, True:", compiled())
module.is_available = lambda: False
print("is_available, False:", compiled())
# endregion
