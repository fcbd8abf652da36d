"""Second derivatives with our engine: nodes that are called with grad mode on record nodes of their own."""

import torch
from engine import run_backward


def gradient(output, x, create_graph=False):
    """The gradient that our engine leaves in `x.grad`, taken from there."""
    x.grad = None
    run_backward([(output.grad_fn, 0)], [torch.ones_like(output)], create_graph)
    grad, x.grad = x.grad, None
    return grad


if __name__ == "__main__":
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    first = gradient((x**3 + x * x).sum(), x, create_graph=True)
    second = gradient(first.sum(), x)

    (their_first,) = torch.autograd.grad((x**3 + x * x).sum(), x, create_graph=True)
    (their_second,) = torch.autograd.grad(their_first.sum(), x)
    print("first: ", first.tolist(), torch.equal(first, their_first))
    print("second:", second.tolist(), torch.equal(second, their_second))
