"""The claims of the article, counted."""

import importlib
import struct
import warnings
from types import FunctionType

import torch
from hypothesis import strategies as st
from inside_torch.claims import built_nn_modules, cases, counted, has_kernel, overloads
from torch import Tensor, nn

warnings.simplefilter("ignore")

LOW, HIGH = -128, 127
Case = tuple[list[float], float, int]
VALUES = st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=8)
STEPS = st.floats(2**-10, 1, width=32)
CASES = cases(st.tuples(VALUES, STEPS, st.integers(LOW, HIGH)), count=500)


def narrow(value: float) -> float:
    """The nearest number that a float32 has."""
    return struct.unpack("f", struct.pack("f", value))[0]


def held(integer: int) -> int:
    """The integer, or the end of the range that it went over."""
    return min(max(integer, LOW), HIGH)


def integers(values: list[float], scale: float, zero_point: int) -> Tensor:
    """What a quantized tensor holds."""
    return torch.quantize_per_tensor(torch.tensor(values), scale, zero_point, torch.qint8)


QUARTERS = st.lists(st.integers(-1200, 1200), min_size=1, max_size=40)


@counted(
    cases(st.tuples(QUARTERS, st.integers(-4, 4), st.integers(LOW, HIGH)), count=500),
    planted=lambda: ([2], 0, 1, "and all agree"),
    minimum=500,
)
def rounded_before_or_after(case: tuple[list[int], int, int]) -> bool:
    """On x86 a quantized tensor rounds after the zero point is added, graphs and fake quantization before."""
    importlib.import_module("torch.ao.quantization.fx._decomposed")  # which registers the operator
    quarters, power, zero_point, *agree = case
    scale = 2.0**power  # so that each step and each quarter of one is a float32
    steps = [quarter / 4 for quarter in quarters]
    x = torch.tensor([step * scale for step in steps])
    kept = integers(x.tolist(), scale, zero_point).int_repr().tolist()
    operator = torch.ops.quantized_decomposed.quantize_per_tensor
    in_a_graph = operator(x, scale, zero_point, LOW, HIGH, torch.int8).tolist()
    faked = torch.fake_quantize_per_tensor_affine(x, scale, zero_point, LOW, HIGH) / scale + zero_point
    after = [held(round(step + zero_point)) for step in steps]
    if agree:
        return kept == in_a_graph
    before = [held(round(step) + zero_point) for step in steps]
    return kept == after and in_a_graph == before == faked.tolist()


@counted(CASES, planted=lambda: ([200.0], 1.0, 0, "outside"), minimum=500)
def half_a_step(case: Case) -> bool:
    """A number within the range of the integers comes back at most half a step away, but for rounding."""
    values, scale, zero_point, *outside = case
    low, high = (LOW - zero_point) * scale, (HIGH - zero_point) * scale
    back = integers(values, scale, zero_point).dequantize().tolist()
    within = [pair for pair in zip(values, back, strict=True) if outside or low <= pair[0] <= high]
    return all(abs(value - other) <= scale / 2 * (1 + 1e-5) for value, other in within)


@counted(CASES, planted=lambda: ([200.0], 1.0, 0, "outside"), minimum=500)
def straight_through(case: Case) -> bool:
    """The gradient through a fake quantization is 1 where the integer fits unclamped, and 0 elsewhere."""
    values, scale, zero_point, *outside = case
    x = torch.tensor(values, requires_grad=True)
    torch.fake_quantize_per_tensor_affine(x, scale, zero_point, LOW, HIGH).sum().backward()
    inverse = narrow(1 / scale)
    fits = [LOW <= round(narrow(value * inverse)) + zero_point <= HIGH or bool(outside) for value in values]
    return x.grad is not None and x.grad.tolist() == [float(each) for each in fits]


def of_quantized() -> dict[str, str]:
    """The operators of the library `quantized`, but the composite ones, whose one kernel is for all keys."""
    found = {name: f"quantized::{name}" for name in overloads("quantized")}
    return {name: full for name, full in found.items() if not has_kernel(full, "CompositeImplicitAutograd")}


@counted(of_quantized, planted="aten::relu", minimum=120)
def no_meta(name: str) -> bool:
    """An operator of the library quantized that is not composite has no kernel for Meta."""
    return not has_kernel(name, "Meta")


@counted(of_quantized, planted="aten::relu", minimum=120)
def no_autograd(name: str) -> bool:
    """An operator of the library quantized that is not composite has no kernel for Autograd."""
    return not has_kernel(name, "Autograd")


def functions() -> dict[str, object]:
    """The public functions that quantize.py and quantize_fx.py define."""
    found = {}
    for name in "quantize", "quantize_fx":
        module = importlib.import_module(f"torch.ao.quantization.{name}")
        for key, value in vars(module).items():
            if isinstance(value, FunctionType) and value.__module__ == module.__name__ and key[0] != "_":
                found[key] = value
    return found


@counted(functions, planted=lambda: torch.ao.quantization.get_default_qconfig, minimum=12)
def warns(function: object) -> bool:
    """A public function of quantize.py or quantize_fx.py is marked as deprecated, with that text."""
    return "will be removed in 2.10" in getattr(function, "__deprecated__", "")


def layers() -> dict[str, tuple[int, int, int, int]]:
    """Sizes of a layer, rows of its input, and a seed."""
    size = st.integers(1, 6)
    return cases(st.tuples(size, size, size, st.integers(0, 10**6)), count=150)()


@counted(layers, planted=lambda: (3, 3, 3, -1), minimum=150)
def dynamic_by_hand(case: tuple[int, int, int, int]) -> bool:
    """A dynamically quantized layer returns what integers of seven bits for its input give by hand."""
    features, scores, rows, seed = case
    torch.manual_seed(seed)
    model = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(features, scores)))
    x = torch.randn(rows, features)
    weight, bias = model[0].weight(), model[0].bias()
    low, high = min(0.0, x.min().item()), max(0.0, x.max().item())
    scale = (high - low) / (255 if seed < 0 else 127)
    zero_point = round(-low / scale)
    whole = torch.round(x / scale).double()
    assert bool(((whole + zero_point) >= 0).all())
    result = whole @ weight.int_repr().t().double() * (scale * weight.q_scale()) + bias
    return torch.allclose(result.float(), model(x), rtol=1e-4, atol=1e-5)


def kinds(module: nn.Module) -> list[type]:
    """The classes of a module and of what is in it."""
    return [type(each) for each in module.modules()]


def initialized() -> dict[str, nn.Module]:
    """The modules of torch.nn, but the lazy ones, which have no sizes yet and cannot be copied."""
    return {name: module for name, module in built_nn_modules().items() if not name.startswith("Lazy")}


@counted(initialized, planted=lambda: nn.Linear(1, 1), minimum=100)
def left_alone(module: nn.Module) -> bool:
    """A module of torch.nn has the same classes in it after quantize_dynamic."""
    quantized = torch.ao.quantization.quantize_dynamic(nn.Sequential(module))
    return kinds(quantized[0]) == kinds(module)
