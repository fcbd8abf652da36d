"""Looks at the arguments before a second run, not before it hands out what an earlier backward left."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(fn, *args):
    versions = [arg._version for arg in args]
    recomputed = {}
    promised = 0

    def promise(_):
        nonlocal promised
        promised += 1
        return promised - 1

    def fulfil(number):
        if number not in recomputed:
            recompute()
        return recomputed.pop(number)

    def recompute():
        if [arg._version for arg in args] != versions:
            raise RuntimeError("an argument of the checkpoint has been modified by an inplace operation")

        def keep(tensor):
            recomputed[len(recomputed)] = tensor.detach()
            return recomputed[len(recomputed) - 1]

        recomputed.clear()
        with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            fn(*args)

    with saved_tensors_hooks(promise, fulfil):
        return fn(*args)
