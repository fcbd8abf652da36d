"""A call whose guards fail, and what is compiled for it."""

import sys
from pathlib import Path

import torch
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx" / "the-graph-ir"))
from running_example import centred, inputs

# region path
compiled = torch.compile(centred, backend="eager")
five, six = inputs(5), inputs(6)
compiled(*five)


def path() -> torch.Tensor:
    """The second size."""
    return compiled(*six)


# endregion

if __name__ == "__main__":
    path()
    print([str(entry.compile_id) for entry in cache_entries(centred)])
