"""Three ways to walk one graph, and the way the engine takes.

Two branches are built in alternation, so that following a branch to its end, going level by level, and
obeying the sequence numbers all give different orders.
"""

from collections import deque

import torch
from torch.autograd.graph import GradientEdge, Node

# region build
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)
left = a.exp()
right = b.sin()
left = left.neg()
right = right.cos()
loss = (left + right).sum()
# endregion


def label(node: Node) -> str:
    """The node's name, with its sequence number unless it has the highest there is."""
    name = node.name().removeprefix("torch::autograd::")
    if name == "AccumulateGrad":
        return name
    return f"{name}[{node._sequence_nr()}]"


# region walks
def breadth_first(root: Node) -> list[Node]:
    """Level by level, each node once."""
    order, queue = [], deque([root])
    while queue:
        node = queue.popleft()
        if node not in order:
            order.append(node)
            queue.extend(child for child, _ in node.next_functions if child is not None)
    return order


def depth_first(root: Node) -> list[Node]:
    """One branch to its end, then the next, each node once."""
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        if node not in order:
            order.append(node)
            stack.extend(child for child, _ in reversed(node.next_functions) if child is not None)
    return order


def as_the_engine_runs(root: Node) -> list[Node]:
    """Put a prehook on every node, run backward, and return the nodes in the order of the calls."""
    order: list[Node] = []
    for node in breadth_first(root):
        node.register_prehook(lambda grads, node=node: order.append(node))
    torch.autograd.backward(GradientEdge(root, 0))
    return order


# endregion

if __name__ == "__main__":
    root = loss.grad_fn
    for walk in (breadth_first, depth_first, as_the_engine_runs):
        print(walk.__name__.replace("_", " "))
        for node in walk(root):
            print("  ", label(node))
