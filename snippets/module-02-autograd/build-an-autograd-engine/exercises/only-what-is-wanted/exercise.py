"""Give the engine `inputs=`: run the nodes that lead to the wanted gradients, and no other.

`run_backward` of the article, cut to its bones, stands below; it runs everything. `grad` should do what
`torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)` does.
"""

import heapq
from collections import Counter
from itertools import count

import torch
from torch import Tensor
from torch.autograd.graph import Node, get_gradient_edge


def count_dependencies(roots):
    """How many gradients each node has to wait for: one for each edge that leads to it."""
    waiting, stack = Counter(), [roots]
    while stack:
        for node, _ in stack.pop():
            if node is not None:
                if node not in waiting:
                    stack.append(node.next_functions)
                waiting[node] += 1
    return waiting


def nodes_to_run(root: Node, wanted: set[Node]) -> set[Node]:
    """The nodes below `root`, itself included, from which some *other* node of `wanted` can be reached.

    Graphs are deeper than Python's stack, so do not recurse.
    """
    raise NotImplementedError


def grad(output: Tensor, inputs: list[Tensor]) -> tuple[list[Tensor | None], list[Node]]:
    """The gradient of `output`, one element, for each of `inputs`, and the nodes that ran, in order.

    An input stands for its gradient edge, `get_gradient_edge(tensor)`: a node and a slot of it. What has
    arrived there when the last gradient is in, is its gradient; None if nothing arrives. No `.grad` changes.
    """
    roots = [get_gradient_edge(output)[:2]]
    waiting, not_ready, ready, order, arrival = count_dependencies(roots), {}, [], [], count()

    # HOLE: which nodes are wanted, which have to run, and where the results are kept.
    raise NotImplementedError

    def send(edges, grads):
        for (node, slot), grad in zip(edges, grads, strict=True):
            if node is None:
                continue
            metadata = node._input_metadata
            slots = not_ready.setdefault(node, [None] * len(metadata))
            if grad is not None:
                grad = grad.sum_to_size(metadata[slot].shape).to(metadata[slot].dtype)
                slots[slot] = grad if slots[slot] is None else slots[slot] + grad
            waiting[node] -= 1
            if waiting[node] == 0:
                heapq.heappush(ready, (-node._sequence_nr(), next(arrival), node, not_ready.pop(node)))

    with torch.no_grad():
        send(roots, [torch.ones_like(output)])
        while ready:
            *_, node, slots = heapq.heappop(ready)
            order.append(node)
            results = node(*slots)
            send(node.next_functions, results if isinstance(results, tuple) else (results,))
