"""Quantization with one scale and one zero point, in plain Python."""


def parameters(low: float, high: float, least: int, most: int) -> tuple[float, int]:
    """The scale and zero point by which the integers ``least`` to ``most`` cover ``low`` to ``high``."""
    raise NotImplementedError


def quantize(values: list[float], scale: float, zero_point: int, least: int, most: int) -> list[int]:
    """An integer for each value, from ``least`` to ``most``."""
    raise NotImplementedError


def dequantize(integers: list[int], scale: float, zero_point: int) -> list[float]:
    """The values that the integers stand for."""
    raise NotImplementedError
