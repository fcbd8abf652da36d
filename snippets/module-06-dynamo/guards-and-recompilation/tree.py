"""The guards of `centred`, as the tree in which C++ checks them."""

import re
import sys
from pathlib import Path

import torch
from torch._C._dynamo.guards import GuardManager, LeafGuard
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx" / "the-graph-ir"))
from running_example import centred, inputs


def text(leaf: LeafGuard) -> str:
    """What the guard says, without the line that it is from, and without addresses."""
    said = leaf.verbose_code_parts()[0].split("  #")[0]
    said = re.sub(r", \d{9,}\)", ", ...)", re.sub(r"\{.*\}", "{...}", said))
    return re.sub(r"DispatchKeySet\(.*?\)", "...", said).strip()


# region tree
def show(manager: GuardManager, depth: int = 0) -> None:
    """A manager is a place where a value is found. Its leaves are asked about that value."""
    print("  " * depth + (manager.get_source()))
    for leaf in manager.get_leaf_guards():
        print("  " * depth + "    " + type(leaf).__name__ + ": " + text(leaf))
    for child in manager.get_child_managers():
        show(child, depth + 1)


compiled = torch.compile(centred, backend="eager")
compiled(*inputs(5))
compiled(*inputs(6))
newest, first = cache_entries(centred)
show(first.guard_manager.root)
print("and of the second:")
for leaf in newest.guard_manager.root.get_epilogue_lambda_guards():
    print("    " + type(leaf).__name__ + ": " + text(leaf))
# endregion
