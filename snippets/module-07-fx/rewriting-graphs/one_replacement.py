"""One pattern is found in a graph, and another put in its place."""

import torch
from torch import Tensor, fx


def pattern(x: Tensor) -> Tensor:
    return torch.neg(torch.relu(x))


def replacement(x: Tensor) -> Tensor:
    return torch.clamp(-x, max=0)


# region path
def path() -> fx.GraphModule:
    """A graph of three calls, of which two are replaced by two others."""
    graph = fx.Graph()
    inner = graph.call_function(torch.relu, (graph.placeholder("x"),))
    graph.output(graph.call_function(torch.abs, (graph.call_function(torch.neg, (inner,)),)))
    module = fx.GraphModule({}, graph)
    fx.replace_pattern(module, pattern, replacement)
    return module


# endregion

if __name__ == "__main__":
    # region show
    module = path()
    print(module.code.strip())
    print(module(torch.tensor([-1.0, 2.0])).tolist())
    # endregion
