"""A graph is run node by node, with no text in between."""

import operator
from typing import Any

import torch
from build import build
from running_example import centred, inputs
from torch import fx, nn


# region run
def run(module: nn.Module, graph: fx.Graph, *given: Any) -> Any:
    """What the graph computes, where targets that are paths begin at the module."""
    rest, values = iter(given), {}
    for node in graph.nodes:
        args, kwargs = fx.node.map_arg((node.args, dict(node.kwargs)), values.__getitem__)
        match node.op:
            case "placeholder":
                values[node] = next(rest, *args)  # its default, where there is one
            case "get_attr":
                values[node] = operator.attrgetter(node.target)(module)
            case "call_function":
                values[node] = node.target(*args, **kwargs)
            case "call_method":
                values[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
            case "call_module":
                values[node] = module.get_submodule(node.target)(*args, **kwargs)
            case "output":
                return args[0]
    return None


# endregion


class Small(nn.Module):
    """A module in whose graph all six kinds of nodes stand."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor, floor: float = 0) -> torch.Tensor:
        """A layer, cut off below and stretched."""
        return torch.clamp(self.layer(x).relu() * self.scale, min=floor)


def late_parameter() -> fx.Graph:
    """A parameter after a node of its name, of which the code makes another program."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    y = graph.create_node("call_function", torch.relu, (x,), name="y")
    graph.output(graph.call_function(torch.add, (y, graph.placeholder("y"))))
    return graph


if __name__ == "__main__":
    print("centred:", torch.equal(run(nn.Module(), build(), *inputs(5)), centred(*inputs(5))))
    small, x = Small(), torch.tensor([[1.0, -1.0]])
    graph = fx.symbolic_trace(small).graph
    for given in (x,), (x, 3):
        print("six kinds:", torch.equal(run(small, graph, *given), small(*given)))
    two = torch.tensor([-1.0]), torch.tensor([2.0])
    print("late parameter:", run(nn.Module(), late_parameter(), *two).tolist())
