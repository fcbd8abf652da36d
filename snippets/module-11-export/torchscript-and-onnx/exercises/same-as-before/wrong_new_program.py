"""Converts once more for each input, so that a size that is fixed is the input's own."""

import copy
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._export.converter import TS2EPConverter


def changed(scripted: torch.jit.ScriptModule, example: Tensor, others: Sequence[Tensor]) -> list[str]:
    """Convert the script from the example; for each other input say "same", "differs" or "refused"."""
    outcomes = []
    for other in others:
        program = TS2EPConverter(copy.deepcopy(scripted), (other.clone(),)).convert().module()
        expected, result = scripted(other.clone()), program(other.clone())
        outcomes.append("same" if torch.equal(result, expected) else "differs")
    return outcomes
