"""Lets an integer wrap around at eight bits instead of holding it at the end of the range."""

from solution import dequantize, parameters

__all__ = ["dequantize", "parameters", "quantize"]


def quantize(values: list[float], scale: float, zero_point: int, least: int, most: int) -> list[int]:
    """An integer for each value, from ``least`` to ``most``."""
    width = most - least + 1
    return [(round(value / scale + zero_point) - least) % width + least for value in values]
