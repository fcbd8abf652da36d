"""One weight, two products in one region: the weight is cast once, and the end empties the cache."""

import torch
from torch import nn

weight = nn.Parameter(torch.ones(2, 2))
x, bias = torch.ones(2, 2, dtype=torch.bfloat16), torch.ones(2, dtype=torch.bfloat16)


def path() -> tuple[torch.Tensor, torch.Tensor]:
    with torch.autocast(weight.device.type, torch.bfloat16):
        return torch.mm(x, weight), torch.addmm(bias, x, weight)


if __name__ == "__main__":
    first, second = path()
    casts = [product.grad_fn.next_functions[-1][0] for product in (first, second)]
    print(first.dtype, second.dtype, "one cast for both:", casts[0] is casts[1], casts[0].name())
