"""What an article's ``claims.py`` is written with: claims that are counted, and populations of the release.

A claim is a function that judges one member of a population; :func:`counted` ties the two together. The
populations of :mod:`inside_torch.claims.populations` are those of the torch that is installed. Nothing here
knows the book: ``inside-torch count`` runs ``inside_torch.claims.child`` in a process of its own.
"""

from inside_torch.claims.counted import Counted, cases, counted
from inside_torch.claims.populations import (
    built_nn_modules,
    called,
    derivatives,
    dispatch_keys,
    dispatch_table,
    has_kernel,
    native_functions,
    nn_modules,
    operators,
    optimizers,
    overloads,
    public_functions,
    subclasses,
    symbols,
    tensor_methods,
)

__all__ = [
    "Counted",
    "built_nn_modules",
    "called",
    "cases",
    "counted",
    "derivatives",
    "dispatch_keys",
    "dispatch_table",
    "has_kernel",
    "native_functions",
    "nn_modules",
    "operators",
    "optimizers",
    "overloads",
    "public_functions",
    "subclasses",
    "symbols",
    "tensor_methods",
]
