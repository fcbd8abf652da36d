"""A tracer that goes one way and says so."""

import operator
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
        held = obj if answer else self.create_proxy("call_function", operator.not_, (obj,), {})
        self.create_proxy("call_function", torch._assert, (held, "another way"), {})
        return answer


def traced(function: Callable, way: list[bool]) -> fx.GraphModule:
    """The function along that way."""
    tracer = OneWay(way)
    graph = tracer.trace(function)
    return fx.GraphModule(tracer.root, graph)
