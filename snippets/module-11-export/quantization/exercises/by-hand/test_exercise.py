"""The integers are torch's, the scale and the zero point those of its observer."""

import random
import warnings

import torch
from exercise import dequantize, parameters, quantize
from torch.ao.quantization import MinMaxObserver

warnings.simplefilter("ignore")
SIGNED = -128, 127, torch.qint8
UNSIGNED = 0, 255, torch.quint8


def observed(low: float, high: float, least: int, most: int, dtype: torch.dtype) -> tuple[float, int]:
    observer = MinMaxObserver(dtype=dtype, quant_min=least, quant_max=most)
    observer(torch.tensor([low, high]))
    scale, zero_point = observer.calculate_qparams()
    return scale.item(), zero_point.item()


def test_the_scale_and_the_zero_point_are_the_observers():
    for low, high in (-1.0, 2.0), (-3.0, 0.5), (-7.0, 7.5):
        for least, most, dtype in SIGNED, UNSIGNED:
            scale, zero_point = parameters(low, high, least, most)
            known, known_zero = observed(low, high, least, most, dtype)
            assert abs(scale - known) < 1e-6 * known
            assert zero_point == known_zero


def test_zero_is_one_of_the_values():
    for low, high in (1.0, 6.0), (-9.0, -2.0), (0.0, 0.0):
        scale, zero_point = parameters(low, high, 0, 255)
        assert scale > 0
        assert dequantize(quantize([0.0], scale, zero_point, 0, 255), scale, zero_point) == [0.0]


def test_a_range_that_ends_before_zero_is_the_observers():
    for low, high in (1.0, 6.0), (-9.0, -2.0):
        scale, zero_point = parameters(low, high, 0, 255)
        known, known_zero = observed(low, high, *UNSIGNED)
        assert abs(scale - known) < 1e-6 * known
        assert zero_point == known_zero


def test_the_integers_are_those_of_torch():
    draw = random.Random(0)
    for least, most, dtype in SIGNED, UNSIGNED:
        zero_point = 2 * draw.randint(0, 60) + 1  # odd: a half goes to another integer than it does by itself
        values = [draw.randint(-800, 800) / 64 for _ in range(200)]  # scales of 1/16 leave halves too
        known = torch.quantize_per_tensor(torch.tensor(values), 1 / 16, zero_point, dtype)
        assert quantize(values, 1 / 16, zero_point, least, most) == known.int_repr().tolist()


def test_what_is_too_large_stays_at_the_end():
    assert quantize([1000.0, -1000.0], 1.0, 3, -128, 127) == [127, -128]


def test_the_values_are_those_of_torch():
    kept = torch.quantize_per_tensor(torch.tensor([-1.0, 0.25, 3.0]), 0.25, 5, torch.qint8)
    assert dequantize(kept.int_repr().tolist(), 0.25, 5) == kept.dequantize().tolist()


def test_an_error_is_at_most_half_a_step():
    draw = random.Random(1)
    scale, zero_point = parameters(-1.0, 2.0, -128, 127)
    values = [draw.uniform(-1.0, 2.0) for _ in range(200)]
    back = dequantize(quantize(values, scale, zero_point, -128, 127), scale, zero_point)
    # the zero point is rounded, so an end of the range may be cut by half a step too
    assert (
        max(abs(value - other) for value, other in zip(values, back, strict=True))
        <= scale * 0.5001 + scale / 2
    )
    inner = [pair for pair in zip(values, back, strict=True) if abs(pair[0]) < 0.9]
    assert max(abs(value - other) for value, other in inner) <= scale * 0.5001
