"""Lets the edge of a view that was taken under no_grad lead to the accumulator of its base."""

import solution
from solution import *  # noqa: F403

of_tensor = solution.gradient_edge


def gradient_edge(tensor):
    view_without_node = tensor.grad_fn is None and tensor.requires_grad and tensor._base is not None
    return of_tensor(tensor._base if view_without_node else tensor)


solution.gradient_edge = gradient_edge
