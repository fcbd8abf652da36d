"""The graph of the running example, made node by node, printed, checked, and turned into Python again."""

import math
import operator

import torch
from running_example import centred, inputs
from torch import fx


# region build
def build() -> fx.Graph:
    """What `centred` does to more than four rows."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    weight = graph.placeholder("weight")
    product = graph.call_function(operator.matmul, (x, weight))
    y = graph.call_function(torch.nn.functional.silu, (product,))
    mean = graph.call_method("mean", (y, 1), {"keepdim": True})
    graph.call_method("sub_", (y, mean))
    shape = graph.call_function(getattr, (x, "shape"))
    features = graph.call_function(operator.getitem, (shape, 1))
    root = graph.call_function(math.sqrt, (features,))
    graph.output(graph.call_function(operator.truediv, (y, root)))
    return graph


# endregion

if __name__ == "__main__":
    # region show
    graph = build()
    graph.lint()
    module = fx.GraphModule({}, graph)
    print(graph)
    print(module.code.strip())
    for rows in 5, 4:
        print(rows, "rows:", torch.equal(module(*inputs(rows)), centred(*inputs(rows))))
    # endregion
