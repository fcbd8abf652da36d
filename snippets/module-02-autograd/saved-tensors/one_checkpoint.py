"""One checkpointed region, told operator by operator: what is computed again, and where that stops."""

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

# region region
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


def region(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sqrt() + a


def forward() -> Tensor:
    # The region draws no random numbers, so there is no generator's state to put back.
    return checkpoint(region, a, b, use_reentrant=False, preserve_rng_state=False).sum()


loss = forward()


def path() -> None:
    loss.backward()


# endregion


# region story
class Tell(TorchDispatchMode):
    """Prints the operators that run below autograd, but for `detach`, which computes nothing."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is not torch.ops.aten.detach.default:
            print("   ", func)
        return func(*args, **(kwargs or {}))


def story() -> None:
    with Tell():
        print("forward")
        loss = forward()
        print("backward")
        loss.backward()


# endregion


if __name__ == "__main__":
    path()
    print(a.grad.tolist(), b.grad.tolist())
    story()
