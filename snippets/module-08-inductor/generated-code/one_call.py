"""A function is compiled and called: the code is written, its library is found, and it runs."""

import torch
import torch._inductor.codegen.cpp  # its imports are not to be in the path
from torch import Tensor
from torch._inductor import config
from torch._inductor.compile_fx import compile_fx


def scaled(x: Tensor, y: Tensor) -> Tensor:
    """The function."""
    return (x * 2 + y).relu()


def run() -> Tensor:
    """Compiled with no graph kept, so that its code is written each time; the library of it is kept."""
    torch._dynamo.reset()
    with (
        torch.no_grad(),
        config.patch({"cpp.threads": 1, "cpp.simdlen": 1, "fx_graph_cache": False}),
        torch._functorch.config.patch(enable_autograd_cache=False),
    ):
        return torch.compile(scaled, backend=compile_fx)(x, y)


x, y = torch.linspace(-1, 1, 1000), torch.ones(1000)
run()


# region path
def path() -> Tensor:
    """The second time: the C++ is not compiled."""
    return run()


# endregion

if __name__ == "__main__":
    print("as in eager mode:", torch.equal(path(), scaled(x, y)))
