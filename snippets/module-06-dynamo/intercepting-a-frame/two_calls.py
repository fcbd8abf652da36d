"""A function is compiled and called twice: the first call compiles, the second finds what the first left."""

import sys
from pathlib import Path

import torch
from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx" / "the-graph-ir"))
from running_example import centred, inputs

# Dynamo is imported by the first torch.compile, and has helpers of its own to look at in the first call.
torch.compile(torch.neg, backend="eager")(torch.ones(1))


# region path
def path() -> None:
    """Compiled by a backend that runs the graph as it is."""
    fast = torch.compile(centred, backend="eager")
    fast(*inputs(5))
    fast(*inputs(5))


# endregion

if __name__ == "__main__":
    before = centred.__code__
    print("entries before:", len(_debug_get_cache_entry_list(before)))
    path()
    entries = _debug_get_cache_entry_list(before)
    print("entries after: ", len(entries), "with code named", *(entry.code.co_name for entry in entries))
    print("the function's own code is the same object:", centred.__code__ is before)
