"""`centred` on lazy tensors: its graph, and what other sizes do."""

import re
import sys
from pathlib import Path

import torch
from torch._lazy import debug

sys.path.insert(0, str(Path(__file__).parents[1] / "the-graph-ir"))
from running_example import centred, inputs
from watch import compiled, counted, nodes


def on_lazy(rows: int) -> list[torch.Tensor]:
    """The example's inputs, on the lazy device."""
    return [tensor.to("lazy") for tensor in inputs(rows)]


if __name__ == "__main__":
    # region graph
    result = centred(*on_lazy(5))
    print(type(result).__name__, result.device, tuple(result.shape), compiled())
    print(re.sub(r", (device=CPU0, )?NodeType=\w+", "", debug.dump_ir([result], "text")))
    print(re.sub(r"\[source=[^]]*\]", "", debug.dump_ir([result], "backend")))
    # endregion
    # region sizes
    counted()
    for rows in 4, 5, 6, 5, 4, 6:
        result = centred(*on_lazy(rows))
        calls = [name for name in nodes(result) if name != "device_data"]
        right = torch.equal(result.cpu(), centred(*inputs(rows)))
        print(f"{rows} rows: right {right}, {compiled()},", *calls)
    # endregion
