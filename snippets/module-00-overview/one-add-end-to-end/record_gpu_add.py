"""One addition on a GPU, `a + b`: `path()` is what is recorded."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], device="cuda", requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0], device="cuda")


def path():
    return a + b


if __name__ == "__main__":
    before = torch.cuda.memory_allocated()
    c = path()
    print(c.device, c.grad_fn.name(), torch.cuda.memory_allocated() - before)
