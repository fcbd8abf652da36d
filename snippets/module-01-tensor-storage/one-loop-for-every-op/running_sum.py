"""The running example, and a sum of two tensors that are alike. `path()` is what is recorded."""

import torch

x = torch.arange(12.0).reshape(3, 4)
y = x[:, 1]
other = torch.zeros(2, 1, dtype=torch.int64)
turned = x.t()


# region path
def across() -> torch.Tensor:
    return y + other


def alike() -> torch.Tensor:
    return turned + turned


def path() -> tuple[torch.Tensor, torch.Tensor]:
    return across(), alike()


# endregion

if __name__ == "__main__":
    for z in path():
        print(z.dtype, tuple(z.shape), z.stride(), z.sum().item())
