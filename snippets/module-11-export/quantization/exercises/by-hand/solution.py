"""Quantization with one scale and one zero point, in plain Python."""


def parameters(low: float, high: float, least: int, most: int) -> tuple[float, int]:
    """The scale and zero point by which the integers ``least`` to ``most`` cover ``low`` to ``high``."""
    low, high = min(low, 0.0), max(high, 0.0)  # so that zero is one of the values
    scale = (high - low) / (most - least) or 1.0
    zero_point = least - round(low / scale)
    return scale, min(max(zero_point, least), most)


def quantize(values: list[float], scale: float, zero_point: int, least: int, most: int) -> list[int]:
    """An integer for each value, from ``least`` to ``most``."""
    return [min(max(round(value / scale + zero_point), least), most) for value in values]


def dequantize(integers: list[int], scale: float, zero_point: int) -> list[float]:
    """The values that the integers stand for."""
    return [(integer - zero_point) * scale for integer in integers]
