"""What Inductor makes of a chain of pointwise operators, and of products of matrices."""

import re

import torch
from torch._inductor.utils import run_and_get_code
from torch.utils._python_dispatch import TorchDispatchMode


class Count(TorchDispatchMode):
    """Counts the operators that reach a backend."""

    calls = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """One operator."""
        self.calls += 1
        return func(*args, **(kwargs or {}))


def chain(x):
    """Eight pointwise operators."""
    return ((x * x + 1.0).sqrt() - x).abs() * 0.5 + x * 2.0


def product(x):
    """One product of matrices."""
    return x @ x


def outer(x):
    """The product of a column and a row."""
    return x @ x.T


SQUARE, COLUMN, LONGER = torch.rand(64, 64), torch.rand(4, 1), torch.rand(17, 1)
CASES = ((chain, torch.rand(1_000)), (product, SQUARE), (outer, COLUMN), (outer, LONGER))

if __name__ == "__main__":
    for function, x in CASES:
        with Count() as count:
            function(x)
        # by default the second size of a function would become a symbol
        _, (code,) = run_and_get_code(torch.compile(function, dynamic=False), x)
        kernels = len(re.findall(r'extern "C"', code))
        calls = re.findall(r"extern_kernels\.\w+", code.split("def call")[-1])
        print(f"{function.__name__} of {tuple(x.shape)}: {count.calls} operators,", end=" ")
        print(f"{kernels} generated kernels, library {calls}")
