"""Whether a converted script still computes what the script computed."""

from collections.abc import Sequence

import torch
from torch import Tensor


def changed(scripted: torch.jit.ScriptModule, example: Tensor, others: Sequence[Tensor]) -> list[str]:
    """Convert the script from the example; for each other input say "same", "differs" or "refused"."""
    raise NotImplementedError
