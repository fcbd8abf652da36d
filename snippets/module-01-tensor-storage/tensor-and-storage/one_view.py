"""A tensor is made, a view of it is taken, and the view is asked for its storage."""

import torch


# region path
def path() -> tuple[torch.Tensor, torch.Tensor, torch.UntypedStorage]:
    x = torch.empty(3, 4)
    tail = x[1:]
    return x, tail, tail.untyped_storage()


# endregion


if __name__ == "__main__":
    x, tail, storage = path()
    print(tail is x, storage is x.untyped_storage())
    print(tail.data_ptr() - x.data_ptr(), storage.data_ptr() - x.data_ptr())
