"""The same addition in inference mode, of the tensors of `one_add.py`."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def path():
    with torch.inference_mode():
        return a + b


if __name__ == "__main__":
    c = path()
    print(c.tolist(), c.grad_fn, c.is_inference())
