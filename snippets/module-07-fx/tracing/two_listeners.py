"""One function, recorded by the two tracers."""

import torch
import torch._dynamo  # make_fx imports it, and the imports are not to be in the path
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx


# region path
def layer(x: torch.Tensor) -> torch.Tensor:
    """What is recorded."""
    return torch.nn.functional.silu(x)


def path() -> tuple[fx.GraphModule, fx.GraphModule]:
    """Recorded with nothing in the argument's place, and with a tensor."""
    return fx.symbolic_trace(layer), make_fx(layer)(torch.tensor([-1.0, 2.0]))


# endregion

if __name__ == "__main__":
    for module in path():
        for node in module.graph.nodes:
            if node.op == "call_function":
                print(node.target.__module__, dict(node.kwargs), "val" in node.meta)
