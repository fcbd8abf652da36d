"""Learns from a question that was answered with yes, and not from one that was answered with no."""

import math

from solution import ASK

Question = tuple[str, int]


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size of the range, `math.inf` where there is none."""
    low, high = 2, math.inf
    for sign, number in questions:
        if not ASK[sign](sample, number):
            continue
        if sign in (">", ">=", "=="):
            low = max(low, number + (sign == ">"))
        if sign in ("<", "<=", "=="):
            high = min(high, number - (sign == "<"))
    return low, high
