"""Cuts the fraction off where it should round, so that an error may be a whole step."""

from solution import dequantize, parameters

__all__ = ["dequantize", "parameters", "quantize"]


def quantize(values: list[float], scale: float, zero_point: int, least: int, most: int) -> list[int]:
    """An integer for each value, from ``least`` to ``most``."""
    return [min(max(int(value / scale + zero_point), least), most) for value in values]
