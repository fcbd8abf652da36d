"""Hands the original kernel its positional arguments only: `alpha` and `out` are keywords."""

import solution
import torch
from solution import *  # noqa: F403
from solution import as_tensors, backend


def reporting(name, seen):
    original = torch.library.get_kernel(f"aten::{name}", backend())

    def kernel(keys, *arguments, out=None, **keywords):
        more = {} if out is None else {"out": out}
        result = original.call_boxed(keys, *as_tensors(arguments), **more)
        seen.append((name, tuple(result.shape), result.dtype))
        return result

    return kernel


solution.reporting = reporting
