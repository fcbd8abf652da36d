"""A lazy clone is made and written, then the tensor that it was made of; then the clone is dropped."""

import torch


# region path
def path() -> torch.Tensor:
    x = torch.empty(12)
    clone = torch._lazy_clone(x)
    clone.fill_(7)
    x.zero_()
    del clone
    return x


# endregion

if __name__ == "__main__":
    x = path()
    print(x.sum().item(), torch._C._is_cow_tensor(x))
