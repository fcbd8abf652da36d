"""A trace is made of the gate, and its script is called for the third time."""

import warnings

import torch
from gate import Gate, sample

warnings.simplefilter("ignore")

# region path
model, x = Gate().eval().requires_grad_(False), sample()
scripted = torch.jit.script(model)
scripted(x), scripted(x)  # the first call is watched, the second makes the plan that is run from then on


def path() -> torch.jit.ScriptModule:
    """Make a trace of the model, then call the script of it."""
    traced = torch.jit.trace(model, x, check_trace=False)
    scripted(x)
    return traced


# endregion

if __name__ == "__main__":
    made = path()
    print("trace ", made(-x).tolist())
    print("script", scripted(-x).tolist())
