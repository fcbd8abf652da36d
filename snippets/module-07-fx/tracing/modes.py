"""`centred`, recorded by make_fx in its three modes; what was kept of the way that was taken."""

import sys
from pathlib import Path

import torch
from torch.fx.experimental.proxy_tensor import make_fx

sys.path.insert(0, str(Path(__file__).parents[1] / "the-graph-ir"))
from running_example import centred, inputs

# region modes
for mode in "real", "fake", "symbolic":
    module = make_fx(centred, tracing_mode=mode)(*inputs(5))
    right = [rows for rows in (4, 5, 6) if torch.equal(module(*inputs(rows)), centred(*inputs(rows)))]
    x = next(iter(module.graph.nodes)).meta["val"]
    calls = [node.name for node in module.graph.nodes if node.op == "call_function"]
    print(f"{mode}: x is {type(x).__name__}{tuple(x.shape)}; right for {right} rows")
    print("   ", *calls)
    if module.shape_env:
        print("    on the way:", *sorted({str(guard.expr) for guard in module.shape_env.guards}))
# endregion
