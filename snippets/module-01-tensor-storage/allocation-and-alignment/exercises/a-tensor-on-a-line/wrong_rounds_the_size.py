"""Asks for whole lines and takes what the allocator gives, which begins where it likes."""

import math

import solution
import torch

on_line = solution.on_line


def empty_on_line(size, line, dtype=torch.float32):
    length = math.prod(size) * dtype.itemsize
    memory = torch.empty((length + line - 1) // line * line, dtype=torch.uint8, device="cpu")
    return memory[:length].view(dtype).view(size)
