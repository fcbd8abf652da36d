"""A lazy clone is made and written, and then the tensor that it was made of."""

import torch


# region path
def path() -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.empty(12)
    clone = torch._lazy_clone(x)
    clone.fill_(7)
    x.zero_()
    return x, clone


# endregion

if __name__ == "__main__":
    x, clone = path()
    print(x[0].item(), clone[0].item())
    print(torch._C._is_cow_tensor(x), torch._C._is_cow_tensor(clone))
