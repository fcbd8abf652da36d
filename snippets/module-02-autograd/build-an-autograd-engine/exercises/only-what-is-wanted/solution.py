"""Give the engine `inputs=`: run the nodes that lead to the wanted gradients, and no other."""

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
    """The nodes below `root`, itself included, from which some *other* node of `wanted` can be reached."""
    parents: dict[Node, list[Node]] = {root: []}
    stack = [root]
    while stack:
        node = stack.pop()
        for below, _ in node.next_functions:
            if below is not None:
                if below not in parents:
                    parents[below] = []
                    stack.append(below)
                parents[below].append(node)
    # Against the edges: whoever has a wanted node below it must run, and so must all that lead there.
    needed: set[Node] = set()
    stack = [node for node in wanted if node in parents]
    while stack:
        for parent in parents[stack.pop()]:
            if parent not in needed:
                needed.add(parent)
                stack.append(parent)
    return needed


def grad(output: Tensor, inputs: list[Tensor]) -> tuple[list[Tensor | None], list[Node]]:
    """The gradient of `output`, one element, for each of `inputs`, and the nodes that ran, in order."""
    roots = [get_gradient_edge(output)[:2]]
    waiting, not_ready, ready, order, arrival = count_dependencies(roots), {}, [], [], count()

    edges = [get_gradient_edge(tensor)[:2] for tensor in inputs]
    wanted = {node for node, _ in edges}
    needed = nodes_to_run(roots[0][0], wanted)
    arrived: dict[Node, list[Tensor | None]] = {}

    def send(edges, grads):
        for (node, slot), grad in zip(edges, grads, strict=True):
            # The counts stay right: whatever leads to a node that we keep is itself needed, and will send.
            if node not in needed and node not in wanted:
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
            if node in wanted:
                arrived[node] = slots
            if node not in needed:  # the end of a path: its gradient is wanted, not its run
                continue
            order.append(node)
            results = node(*slots)
            send(node.next_functions, results if isinstance(results, tuple) else (results,))
    return [arrived[node][slot] if node in arrived else None for node, slot in edges], order
