"""The same addition inside `inference_mode`, of tensors made outside; one of them requires a gradient."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def path():
    with torch.inference_mode():
        return a + b


if __name__ == "__main__":
    c = path()
    print(c.tolist(), c.is_inference())
