"""A branch on a tensor's values, captured on one input and run on another, by every technology."""

import logging
import sys
import warnings

import torch

warnings.simplefilter("ignore")
sys.modules["onnxscript"] = None  # as if it were not installed
logging.getLogger("torch").setLevel(logging.CRITICAL)  # the exporters log what they then raise


class Gate(torch.nn.Module):
    """Doubles a tensor with a positive sum, and lowers any other."""

    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


# region ways
def lazily(module, example):
    """The module on lazy tensors, whose results are asked for at the end."""
    import torch._lazy.ts_backend

    torch._lazy.ts_backend.init()
    return lambda x: module(x.to("lazy")).to(x.device)


WAYS = {
    "eager": lambda module, example: module,
    "jit.trace": lambda module, example: torch.jit.trace(module, (example,)),
    "jit.script": lambda module, example: torch.jit.script(module),
    "fx": lambda module, example: torch.fx.symbolic_trace(module),
    "lazy": lazily,
    "compile": lambda module, example: torch.compile(module, backend="eager"),
    "compile, fullgraph": lambda module, example: torch.compile(module, backend="eager", fullgraph=True),
    "export": lambda module, example: torch.export.export(module, (example,)).module(),
    "onnx": lambda module, example: torch.onnx.export(module, (example,)),
}
# endregion


# region verdict
def verdict(way):
    """What a technology makes of the gate: refuses, or right or wrong on the other branch."""
    example, other = torch.ones(3), torch.full((3,), -5.0)
    torch._dynamo.reset()  # what one way has compiled is not for the next
    try:
        captured = way(Gate(), example)
        captured(example)
        result = captured(other)
    except Exception as error:
        return f"refuses: {type(error).__name__}"
    return "right" if torch.equal(result, Gate()(other)) else "WRONG"


# endregion


if __name__ == "__main__":
    for name, way in WAYS.items():
        print(f"{name:20}{verdict(way)}")
