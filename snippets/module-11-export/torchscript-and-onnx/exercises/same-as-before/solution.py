"""Whether a converted script still computes what the script computed."""

import copy
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._export.converter import TS2EPConverter


def changed(scripted: torch.jit.ScriptModule, example: Tensor, others: Sequence[Tensor]) -> list[str]:
    """Convert the script from the example; for each other input say "same", "differs" or "refused"."""
    program = TS2EPConverter(copy.deepcopy(scripted), (example.clone(),)).convert().module()
    outcomes = []
    for other in others:
        expected = scripted(other.clone())
        try:
            result = program(other.clone())
        except Exception:
            outcomes.append("refused")
            continue
        alike = result.shape == expected.shape and result.dtype == expected.dtype
        outcomes.append("same" if alike and torch.equal(result, expected) else "differs")
    return outcomes
