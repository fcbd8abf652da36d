"""Keeps copies of what was computed again, for as long as the graph lives."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(fn, *args):
    versions = [arg._version for arg in args]
    promised, recomputed = [], []

    def promise(_):
        promised.append(len(promised))
        return promised[-1]

    def fulfil(number):
        if not recomputed:
            recompute()
        return recomputed[number]

    def recompute():
        if [arg._version for arg in args] != versions:
            raise RuntimeError("an argument of the checkpoint has been modified by an inplace operation")

        def keep(tensor):
            recomputed.append(tensor.detach().clone())
            return recomputed[-1]

        with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            fn(*args)

    with saved_tensors_hooks(promise, fulfil):
        return fn(*args)
