"""What takes the place of a function: conditions, one call of a graph, a result that is made anew, writes."""

import operator
import types
from typing import Any

import torch
from small_dynamo import InGraph, Items, Known, Lazy, like, traced
from torch import fx


class NoLonger(Exception):
    """A condition that does not hold."""


# region conditions
def holds(condition: str, value: Any, expected: Any) -> bool:
    """Whether what was taken for granted is so."""
    if condition == "is like":
        return isinstance(value, torch.Tensor) and like(value) == expected
    if condition == "has the length":
        return len(value) == expected
    return value is expected if condition == "is" else type(value) is type(expected) and value == expected


# endregion


def looked_at(one: Any) -> Any:
    """What was found behind a stand-in, if somebody looked; a number is taken from where it stands."""
    return one.found if isinstance(one, Lazy) and not isinstance(one.found, Known | None) else one


# region rewritten
class Rewritten:
    """Called like the function: asks the conditions, calls the graph, makes the result, writes."""

    def __init__(self, function: types.FunctionType, *arguments: Any):
        self.function = function
        self.trace, self.result = traced(function, *arguments)
        nodes: list[fx.Node] = []
        if not self.trace.changed and isinstance(getattr(self.result, "value", None), torch.Tensor):
            self.trace.realize(self.result)
        if not self.trace.changed and isinstance(looked_at(self.result), InGraph):
            nodes.append(looked_at(self.result).node)  # as Dynamo does: a tensor alone comes out of the graph
        for one in [self.result, *(item for owner in self.trace.lists_to_write() for item in owner.items)]:
            self.collect(one, nodes)
        self.outputs = list(dict.fromkeys(nodes))
        self.trace.graph.output(tuple(self.outputs))
        for node in reversed(self.trace.graph.nodes):  # as Dynamo does: parts and inputs that nobody uses
            if not node.users and (node.target is operator.getitem or node.op == "placeholder"):
                self.trace.graph.erase_node(node)
        self.inputs = [one for one in self.trace.inputs if not one.node._erased]
        self.module = fx.GraphModule(torch.nn.Module(), self.trace.graph)

    def collect(self, one: Any, nodes: list[fx.Node]) -> None:
        """The nodes that a result is made of."""
        one = looked_at(one)
        if isinstance(one, InGraph) and not one.source:
            nodes.append(one.node)
        if isinstance(one, Items) and not one.source:
            for item in one.items:
                self.collect(item, nodes)

    def __call__(self, *arguments: Any) -> Any:
        names = self.function.__code__.co_varnames
        scope = {"L": dict(zip(names, arguments, strict=False)), "F": self.function}
        for source, condition, expected in self.trace.conditions:
            if not holds(condition, eval(source, scope), expected):
                raise NoLonger(f"{source} {condition} {expected}")
        results = self.module(*(eval(one.source, scope) for one in self.inputs))
        made: dict[Any, Any] = dict(zip(self.outputs, results, strict=True))

        def rebuilt(one: Any) -> Any:
            one = looked_at(one)
            if getattr(one, "source", ""):
                return eval(one.source, scope)
            if isinstance(one, Known):
                return one.value
            if isinstance(one, Items) and one not in made:
                made[one] = one.kind(map(rebuilt, one.items))
            return made[one.node if isinstance(one, InGraph) else one]

        result = rebuilt(self.result)
        writes = [
            (eval(owner.source, scope), [*map(rebuilt, owner.items)]) for owner in self.trace.lists_to_write()
        ]
        for real, items in writes:
            real[:] = items
        return result


# endregion

log: list[str] = []


# region pick
def pick(x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
    """Notes that it was called, and picks."""
    log.append("picking")
    return x[at] * 2


# endregion


def grows(x: torch.Tensor, xs: list[int]) -> torch.Tensor:
    """A loop through a list that grows on the way."""
    for one in xs:
        if len(xs) < 4:
            xs.append(one)
        x = x + 1
    return x


if __name__ == "__main__":
    # region called
    x = torch.tensor([1.0, 2.0, 3.0])
    made = Rewritten(pick, x, torch.tensor([1]))
    print("made; the log is", log)
    for at in 9, 1, 2:
        try:
            print(at, made(x, torch.tensor([at])), log)
        except (IndexError, NoLonger) as error:
            print(at, type(error).__name__, error if isinstance(error, NoLonger) else "", log)
    # endregion
    assert torch.equal(Rewritten(grows, x, [1, 2])(x, [1, 2]), grows(x, [1, 2]))
