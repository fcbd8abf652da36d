"""The forward half: tensors that record how they were made. The arithmetic is torch's, the rest is ours."""

from itertools import count

import engine
import torch


# region node
class Node:
    """One operator that has run: where its gradients go, and how they are worked out."""

    numbers = count()

    def __init__(self, result, inputs, derivative):
        self.derivative, self.number = derivative, next(self.numbers)
        self.next_functions = tuple((gradient_edge(each), 0) for each in inputs)
        self._input_metadata = [result]  # the engine reads its shape and its dtype

    def _sequence_nr(self):
        return self.number

    def __call__(self, grad):
        return self.derivative(grad)


class AccumulateGrad(Node):
    """The end of a path: the leaf keeps what arrives."""

    def __init__(self, leaf):
        self.leaf, self.number = leaf, 2**64 - 1  # first of all that is ready, as in PyTorch
        self.next_functions, self._input_metadata = (), [leaf.data]

    def __call__(self, grad):
        self.leaf.grad = grad if self.leaf.grad is None else self.leaf.grad + grad
        return ()


def gradient_edge(tensor):
    """The node to which a gradient for `tensor` goes; None if nobody wants one."""
    if tensor.node is None and tensor.requires_grad:
        tensor.accumulator = tensor.accumulator or AccumulateGrad(tensor)
    return tensor.node or tensor.accumulator


# endregion


# region tensor
class Tensor:
    """Values, the node that made them, and for a leaf the gradient."""

    def __init__(self, data, requires_grad=False, node=None):
        self.data, self.requires_grad, self.node = torch.as_tensor(data), requires_grad, node
        self.grad = self.accumulator = None

    def backward(self):
        return engine.run_backward([(gradient_edge(self), 0)], [torch.ones_like(self.data)])

    def __add__(self, other):
        return record(self.data + other.data, (self, other), lambda g: (g, g))

    def __mul__(self, other):
        a, b = self.data, other.data
        return record(a * b, (self, other), lambda g: (g * b, g * a))

    def __matmul__(self, other):
        a, b = self.data, other.data
        return record(a @ b, (self, other), lambda g: (g @ b.mT, a.mT @ g))

    def relu(self):
        result = self.data.relu()
        return record(result, (self,), lambda g: (g * (result > 0),))

    def sum(self):
        shape = self.data.shape
        return record(self.data.sum(), (self,), lambda g: (g.expand(shape),))


def record(result, inputs, derivative):
    """The result of an operator, with a node if somebody will want a gradient, and without one if not."""
    if not any(each.requires_grad for each in inputs):
        return Tensor(result)
    return Tensor(result, requires_grad=True, node=Node(result, inputs, derivative))


# endregion

if __name__ == "__main__":
    a = Tensor([2.0, 3.0], requires_grad=True)
    b = Tensor([5.0, 7.0], requires_grad=True)
    (a * b + a).sum().backward()
    print("a.grad", a.grad.tolist())
    print("b.grad", b.grad.tolist())

    a = Tensor([2.0, 3.0], requires_grad=True)
    product, a.accumulator = a * b, None  # so the next use of `a` makes a second accumulator
    of_a = [node for node in (product + a).sum().backward() if getattr(node, "leaf", None) is a]
    print("a.grad", a.grad.tolist(), "from", len(of_a), "accumulators")

    x, *values = [torch.randint(-3, 4, size).float() for size in ((8, 3), (3, 4), (4,), (4, 1))]
    ours = weight, bias, out = [Tensor(value, requires_grad=True) for value in values]
    ((Tensor(x) @ weight + bias).relu() @ out).sum().backward()

    theirs = weight, bias, out = [value.clone().requires_grad_() for value in values]
    ((x @ weight + bias).relu() @ out).sum().backward()
    same = [torch.equal(mine.grad, leaf.grad) for mine, leaf in zip(ours, theirs, strict=True)]
    print("two layers, the gradients of torch:", same)
