"""A graph of a few steps, some of them done in other processes, and the gradients of its leaves."""

import torch
from far import relay, step
from torch.distributed import autograd as dist_autograd
from torch.distributed import rpc
from workers import processes

PLACES = "here", "server", "other", "server by way of other"


# region cut
def run(steps, cut):
    """The leaves, and the sum of all values. With `cut`, other processes do their steps."""
    leaves = [torch.tensor([1.0, -1.0, 2.0], dtype=torch.float64, requires_grad=True) for _ in range(2)]
    values = list(leaves)
    for place, operator, left, right in steps:
        a, b = values[left % len(values)], values[right % len(values)]
        if place == "here" or not cut:
            values.append(step(operator, a, b))
        elif place == "server by way of other":
            values.append(rpc.rpc_sync("other", relay, args=("server", operator, a, b)))
        elif left % 2:
            values.append(rpc.rpc_sync(place, step, args=(operator, a, b)))
        else:
            values.append(rpc.rpc_sync(place, getattr(torch, operator), args=(a, b)))
    return leaves, sum(value.sum() for value in values)


def both(steps):
    """The gradients of the leaves, of the cut graph by its context and of the whole one."""
    with dist_autograd.context() as context:
        leaves, loss = run(steps, cut=True)
        dist_autograd.backward(context, [loss])
        found = dist_autograd.get_gradients(context)
        ours = [found[leaf] for leaf in leaves]
    leaves, loss = run(steps, cut=False)
    return ours, list(torch.autograd.grad(loss, leaves))


# endregion


if __name__ == "__main__":
    steps = [(place, "mul", number, number + 1) for number, place in enumerate(PLACES)]

    def work():
        for name, gradients in zip(("cut:  ", "whole:"), both(steps), strict=True):
            print(name, *(gradient.tolist() for gradient in gradients))

    processes({"trainer": work, "server": None, "other": None})
