"""Notes the shape of the first argument, which is not always that of the sum."""

import solution
import torch
from solution import *  # noqa: F403
from solution import as_tensors, backend


def reporting(name, seen):
    original = torch.library.get_kernel(f"aten::{name}", backend())

    def kernel(keys, *arguments, **keywords):
        result = original.call_boxed(keys, *as_tensors(arguments), **keywords)
        seen.append((name, tuple(arguments[0].shape), result.dtype))
        return result

    return kernel


solution.reporting = reporting
