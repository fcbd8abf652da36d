"""A graph is edited and its code is not: who computes what the graph says, and who what the code says."""

import copy
import pickle
from collections.abc import Callable

import torch
from build import build
from running_example import inputs
from torch import fx
from torch.fx.experimental.proxy_tensor import make_fx

rows = inputs(5)


def edited() -> fx.GraphModule:
    """A module whose graph says relu where its code says silu."""
    module = fx.GraphModule({}, build())
    [node] = module.graph.find_nodes(op="call_function", target=torch.nn.functional.silu)
    node.target = torch.relu
    return module


# region ways
def reassigned(module: fx.GraphModule) -> fx.GraphModule:
    """The module, after its graph was assigned to it."""
    module.graph = module.graph
    return module


ways: dict[str, Callable] = {
    "a call": lambda module: module,
    "Interpreter": lambda module: fx.Interpreter(module).run,
    "Transformer": lambda module: fx.Transformer(module).transform(),
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda module: pickle.loads(pickle.dumps(module)),
    "symbolic_trace": fx.symbolic_trace,
    "make_fx": lambda module: make_fx(module)(*rows),
    "torch.compile": lambda module: torch.compile(module, backend="eager"),
    "module.graph = …": reassigned,
}
# endregion

if __name__ == "__main__":
    old = fx.GraphModule({}, build())(*rows)

    def said(result: torch.Tensor) -> str:
        """Which of the two was computed."""
        return "code" if torch.equal(result, old) else "graph"

    print(f"{'':16} reads  a call afterwards  the graph's owner")
    for name, way in ways.items():
        module = edited()
        got = said(way(module)(*rows))
        owner = "the module" if module.graph.owning_module is module else "another"
        print(f"{name:16} {got:6} {said(module(*rows)):18}  {owner}")
