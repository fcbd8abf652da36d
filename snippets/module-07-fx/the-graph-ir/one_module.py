"""A graph of one call becomes a module, which is called."""

import torch
from torch import fx


# region path
def path() -> torch.Tensor:
    """Three nodes, the text, and a call of it."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.nn.functional.silu, (x,)))
    module = fx.GraphModule({}, graph)
    return module(torch.tensor([-1.0, 2.0]))


# endregion

if __name__ == "__main__":
    print([round(number, 4) for number in path().tolist()])
