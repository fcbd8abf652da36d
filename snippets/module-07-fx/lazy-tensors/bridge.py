"""A graph of FX, compiled once by way of lazy tensors and then called without them."""

import sys
from pathlib import Path

import torch
from torch._lazy.extract_compiled_graph import extract_compiled_graph
from torch.fx.experimental.proxy_tensor import make_fx

sys.path.insert(0, str(Path(__file__).parents[1] / "the-graph-ir"))
from running_example import centred, inputs
from watch import counted

if __name__ == "__main__":
    # region bridge
    module = make_fx(centred)(*inputs(5))
    run = extract_compiled_graph(module, inputs(5))
    counted()
    (result,) = run(*inputs(5))
    print("called: ", result.device, torch.equal(result, centred(*inputs(5))), counted())
    (result,) = run(*inputs(4))
    print("4 rows: ", tuple(result.shape), torch.equal(result, centred(*inputs(4))), counted())
    # endregion
