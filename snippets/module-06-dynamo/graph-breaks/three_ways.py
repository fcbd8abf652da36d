"""One print between two halves: in the open, in a loop, in a try; the graphs, and what `explain` says."""

import io
import logging
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import torch
import torch._dynamo as dynamo
from torch import Tensor, fx

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "module-07-fx/the-graph-ir"))
from running_example import centred, inputs


# region functions
def straight(x: Tensor, weight: Tensor) -> Tensor:
    y = centred(x, weight).exp()
    print("halfway")
    return y.log()


def looped(x: Tensor, weight: Tensor) -> Tensor:
    y = centred(x, weight).exp()
    for _ in range(1):
        print("halfway")
    return y.log()


def tried(x: Tensor, weight: Tensor) -> Tensor:
    y = centred(x, weight).exp()
    try:
        print("halfway")
    finally:
        y = y.log()
    return y


# endregion


# region compiled
def compiled(function: Callable, *arguments: Any, **options: Any) -> tuple[Any, list[list[str]]]:
    """What one compiled call returns, and the calls in each of its graphs. What was compiled is forgotten."""
    graphs = []

    def backend(graph: fx.GraphModule, examples: list[Any]) -> Callable:
        graphs.append([node.name for node in graph.graph.nodes if node.op.startswith("call")])
        return graph.forward

    dynamo.reset()
    return torch.compile(function, backend=backend, **options)(*arguments), graphs


# endregion

if __name__ == "__main__":
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    # region show
    for function in straight, looped, tried:
        with redirect_stdout(io.StringIO()):  # not to show what they print
            result, graphs = compiled(function, *inputs(4))
            told = dynamo.explain(function)(*inputs(4))
            same = torch.equal(result, function(*inputs(4)))
        print(f"{function.__name__}: {graphs}, breaks: {told.graph_break_count}, same: {same}")
    # endregion
