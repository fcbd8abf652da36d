"""Saves the derivative, which has no history: the second derivative is zero to autograd."""

import solution


class Softplus(solution.Softplus):
    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x.detach().sigmoid())
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad):
        (slope,) = ctx.saved_tensors
        return grad * slope
