"""One model captured in several ways from one input, each then called with that input and with another."""

import io
import warnings
from collections.abc import Callable
from typing import Any

from inside_torch.run.extras import extras

extras("onnxscript", "onnx")

import onnx  # noqa: E402
import torch  # noqa: E402
from gate import Gate, sample  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from torch import Tensor  # noqa: E402
from torch._export.converter import TS2EPConverter  # noqa: E402


# region captures
def trace(model: torch.nn.Module, x: Tensor) -> Callable:
    return torch.jit.trace(model, x)


def script(model: torch.nn.Module, x: Tensor) -> Callable:
    return torch.jit.script(model)


def export(model: torch.nn.Module, x: Tensor) -> Callable:
    return torch.export.export(model, (x,)).module()


def convert(model: torch.jit.ScriptModule, x: Tensor) -> Callable:
    return TS2EPConverter(model, (x,)).convert().module()


def to_onnx(model: Any, x: Tensor) -> Callable:
    program = torch.onnx.export(model, (x,), verbose=False)
    return lambda *arguments: program.call_reference(*arguments)[0]


def to_onnx_by_trace(model: Any, x: Tensor) -> Callable:
    torch.onnx.export(model, (x,), file := io.BytesIO(), dynamo=False)
    runner = ReferenceEvaluator(onnx.load_from_string(file.getvalue()))
    return lambda *arguments: torch.from_numpy(
        runner.run(None, {runner.input_names[0]: arguments[0].numpy()})[0]
    )


# endregion


def outcome(way: Callable, model: Any, x: Tensor) -> str:
    """What the capture gives for the input that it was made from, and for its negative."""
    try:
        captured = way(model, x)
    except Exception as refused:
        return f"refused: {type(refused).__name__}"
    return f"{captured(x).tolist()}  {captured(-x).tolist()}"


def main() -> None:
    """One line for each way."""
    model, x = Gate().eval(), sample()
    scripted, traced = torch.jit.script(model), torch.jit.trace(model, x)
    ways = {
        "eager": (lambda model, x: model, model),
        "trace": (trace, model),
        "script": (script, model),
        "export": (export, model),
        "export, of the script": (export, scripted),
        "convert, of the script": (convert, scripted),
        "convert, of the trace": (convert, traced),
        "ONNX": (to_onnx, model),
        "ONNX, of its conversion": (to_onnx, TS2EPConverter(scripted, (x,)).convert()),
        "ONNX, dynamo=False": (to_onnx_by_trace, model),
        "ONNX, dynamo=False, of the script": (to_onnx_by_trace, scripted),
    }
    for name, (way, captured) in ways.items():
        print(f"{name:34}{outcome(way, captured, x)}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
