"""Adds up what the tensors show, where the memory behind them was asked for."""

import solution

slim = solution.slim


def held_bytes(tensors):
    return sum(tensor.nbytes for tensor in tensors if not tensor.is_meta)
