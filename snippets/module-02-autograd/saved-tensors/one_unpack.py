"""One tensor asked of a checkpointed region: the region runs again, and stops before its end."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

# region region
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


def region(a: Tensor, b: Tensor) -> Tensor:
    print("the region begins")
    root = (a * b).sqrt()
    print("the region goes on")
    return root + a


# The region draws no random numbers, so there is no generator's state to put back.
add = checkpoint(region, a, b, use_reentrant=False, preserve_rng_state=False).grad_fn
sqrt = add.next_functions[0][0]


def path() -> Tensor:
    return sqrt._saved_result


# endregion


if __name__ == "__main__":
    print("asked of", sqrt.name())
    print(path().tolist())
