"""Rounds before the zero point is added, as a graph's operator does and a quantized tensor does not."""

from solution import dequantize, parameters

__all__ = ["dequantize", "parameters", "quantize"]


def quantize(values: list[float], scale: float, zero_point: int, least: int, most: int) -> list[int]:
    """An integer for each value, from ``least`` to ``most``."""
    return [min(max(round(value / scale) + zero_point, least), most) for value in values]
