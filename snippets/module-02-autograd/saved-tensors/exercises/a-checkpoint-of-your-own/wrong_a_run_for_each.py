"""Runs the region again for each saved tensor."""

import torch
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(fn, *args):
    versions = [arg._version for arg in args]
    promised = []

    def promise(_):
        promised.append(len(promised))
        return promised[-1]

    def fulfil(number):
        if [arg._version for arg in args] != versions:
            raise RuntimeError("an argument of the checkpoint has been modified by an inplace operation")
        kept = []

        def keep(tensor):
            kept.append(tensor.detach())
            return kept[-1]

        with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            fn(*args)
        return kept[number]

    with saved_tensors_hooks(promise, fulfil):
        return fn(*args)
