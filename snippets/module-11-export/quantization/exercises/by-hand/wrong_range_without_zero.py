"""Covers only the range that was seen, so that zero, the value of a padding, is none of the values."""

from solution import dequantize, quantize

__all__ = ["dequantize", "parameters", "quantize"]


def parameters(low: float, high: float, least: int, most: int) -> tuple[float, int]:
    """The scale and zero point by which the integers ``least`` to ``most`` cover ``low`` to ``high``."""
    scale = (high - low) / (most - least) or 1.0
    return scale, least - round(low / scale)
