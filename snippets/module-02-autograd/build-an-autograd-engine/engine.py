"""An autograd engine: it runs a graph of nodes, PyTorch's or our own, from its roots to its leaves.

Of a node it asks four things: next_functions, _sequence_nr(), _input_metadata, and that it can be called.
"""

import heapq
from collections import Counter
from itertools import count

import torch


# region dependencies
def count_dependencies(roots):
    """How many gradients each node has to wait for: one for each edge that leads to it."""
    waiting, stack = Counter(), [roots]
    while stack:
        for node, _ in stack.pop():
            if node is None:  # an input that needs no gradient
                continue
            if node not in waiting:
                stack.append(node.next_functions)
            waiting[node] += 1
    return waiting


# endregion


# region buffer
class InputBuffer:
    """The gradients that have arrived at a node, one slot for each that the node takes."""

    def __init__(self, node):
        self.metadata = node._input_metadata
        self.slots = [None] * len(self.metadata)

    def add(self, slot, grad):
        """Two gradients for one value come from two uses of it, and those add up."""
        if grad is not None:
            grad = fit(grad, self.metadata[slot])
            self.slots[slot] = grad if self.slots[slot] is None else self.slots[slot] + grad


# endregion


# region fit
def fit(grad, value):
    """Bring a gradient to the shape and dtype of the value that it is for: what was broadcast is summed."""
    return grad.sum_to_size(value.shape).to(value.dtype)


# endregion


# region run
def run_backward(roots, grads, create_graph=False):
    """Run the graph below `roots`, pairs of a node and a slot; return the nodes in the order they ran."""
    waiting, not_ready, ready, order, arrival = count_dependencies(roots), {}, [], [], count()

    def send(edges, grads):
        for (node, slot), grad in zip(edges, grads, strict=True):
            if node is None:
                continue
            if node not in not_ready:
                not_ready[node] = InputBuffer(node)
            not_ready[node].add(slot, grad)
            waiting[node] -= 1
            if waiting[node] == 0:
                heapq.heappush(ready, (-node._sequence_nr(), next(arrival), node, not_ready.pop(node)))

    with torch.set_grad_enabled(create_graph):
        send(roots, grads)
        while ready:
            *_, node, buffer = heapq.heappop(ready)
            order.append(node)
            results = node(*buffer.slots)
            send(node.next_functions, results if isinstance(results, tuple) else (results,))
    return order


# endregion


# region path
def path():
    """The running example: a graph of PyTorch's, run by the engine above."""
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = torch.tensor([5.0, 7.0], requires_grad=True)
    loss = (a * b + a).sum()
    order = run_backward([(loss.grad_fn, 0)], [torch.ones_like(loss)])
    return a, b, order


# endregion

if __name__ == "__main__":
    a, b, order = path()
    print(*(type(node).__name__ for node in order))
    print("a.grad", a.grad.tolist())
    print("b.grad", b.grad.tolist())
