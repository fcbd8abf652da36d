"""Negates with `~`, and that of a Python bool is -1 or -2, of which neither is false."""

from collections.abc import Callable

import torch
from torch import fx


class OneWay(fx.Tracer):
    """Goes through a function as it is told, and leaves each condition in the graph."""

    def __init__(self, way: list[bool]):
        super().__init__()
        self.way = iter(way)

    def to_bool(self, obj: fx.Proxy) -> bool:
        """The next answer; the graph gets a `torch._assert` that raises where the answer is wrong."""
        answer = next(self.way)
        torch._assert(obj if answer else ~obj, "another way")
        return answer


def traced(function: Callable, way: list[bool]) -> fx.GraphModule:
    """The function along that way."""
    tracer = OneWay(way)
    graph = tracer.trace(function)
    return fx.GraphModule(tracer.root, graph)
