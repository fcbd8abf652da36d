"""A matrix is turned and given another shape: once a view does it, once it takes a copy."""

import torch

x = torch.arange(12.0).reshape(3, 4)


# region path
def path() -> tuple[torch.Tensor, torch.Tensor]:
    turned = x.transpose(0, 1)
    return turned.reshape(2, 2, 3), turned.reshape(12)


# endregion


if __name__ == "__main__":
    for made in path():
        print(tuple(made.shape), made.stride(), made.untyped_storage() is x.untyped_storage())
