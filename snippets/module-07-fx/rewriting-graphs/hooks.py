"""Passes hooked into Inductor: what each hook is given, and which pass it is that a cache serves."""

import sys
from pathlib import Path

import torch
from torch import fx
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.utils import fresh_cache

sys.path.insert(0, str(Path(__file__).parents[1] / "the-graph-ir"))
from running_example import centred, inputs

aten = torch.ops.aten


# region see
class See(CustomGraphPass):
    """Tells what it is given, and changes nothing."""

    def __init__(self, hook: str):
        self.hook = hook

    def __call__(self, graph: fx.Graph) -> None:
        targets = [
            str(getattr(node.target, "__name__", node.target)) for node in graph.nodes if "call" in node.op
        ]
        print(f"{self.hook:26}", *targets)

    def uuid(self) -> str:
        return self.hook


# endregion


# region swap
class Swap(CustomGraphPass):
    """Each `sub` becomes a call of something else."""

    def __init__(self, new: torch._ops.OpOverload, name: str | None):
        self.new, self.name = new, name

    def __call__(self, graph: fx.Graph) -> None:
        found = graph.find_nodes(op="call_function", target=aten.sub.Tensor)
        for node in found:
            node.target = self.new
        print(f"    the pass runs: sub becomes {self.new}, {len(found)} time")

    def uuid(self) -> str | None:
        return self.name


# endregion


# region main
HOOKS = [
    "pre_grad_custom_pass",
    "joint_custom_pre_pass",
    "joint_custom_post_pass",
    "post_grad_custom_pre_pass",
]


def compiled(new: torch._ops.OpOverload, name: str) -> None:
    """The running example, compiled with a pass; what came out."""
    torch._dynamo.reset()
    counters.clear()
    print(f"a pass with {new}, named {name}")
    x, weight = inputs(5)
    seeing = {hook: See(hook) for hook in HOOKS}
    with config.patch(seeing | {"post_grad_custom_post_pass": Swap(new, name)}):
        result = torch.compile(centred, dynamic=False)(x, weight)
    y = torch.nn.functional.silu(x @ weight)
    mean = y.mean(1, keepdim=True)
    for word, wanted in ("sub", y - mean), ("add", y + mean), ("mul", y * mean):
        if torch.allclose(result, wanted / 2):
            print("    the result is that of", word)
    print("   ", *(key for key in counters["inductor"] if key.startswith("fxgraph")))


# endregion

if __name__ == "__main__":
    # region show
    with (
        fresh_cache(),
        config.patch({"cpp_cache_precompile_headers": False, "cpp.simdlen": 1, "compile_threads": 1}),
    ):
        compiled(aten.add.Tensor, "mine")
        compiled(aten.mul.Tensor, "mine")
    # endregion
