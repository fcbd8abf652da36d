"""The first call of a compiled function and its backward: graphs are made in both."""

import sys
from pathlib import Path

import torch
import torch._dynamo.backends.debugging  # its imports are not to be in the path
import torch._functorch.aot_autograd

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx/the-graph-ir"))
from running_example import centred, inputs

x, weight = inputs(rows=5)
weight.requires_grad_()
compiled = torch.compile(centred, backend="aot_eager")


# region path
def path() -> torch.Tensor:
    """One step."""
    compiled(x, weight).sum().backward()
    return weight.grad


# endregion

if __name__ == "__main__":
    gradient = path()
    weight.grad = None
    centred(x, weight).sum().backward()
    print("the gradient of eager mode:", torch.allclose(gradient, weight.grad, atol=1e-6))
