"""What is known of a size after a program has asked about it."""

import math
import operator

Question = tuple[str, int]  # such as (">", 4): is the size greater than 4?
ASK = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
OTHERWISE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size of the range, `math.inf` where there is none.

    The size has this sample, 2 or more, and is asked about by `<`, `<=`, `>`, `>=`, `==` and `!=`, each
    time against a number, in this order. A range is one interval.
    """
    low, high = 2, math.inf
    for sign, number in questions:
        true = sign if ASK[sign](sample, number) else OTHERWISE[sign]
        if true in (">", ">=", "=="):
            low = max(low, number + (true == ">"))
        if true in ("<", "<=", "=="):
            high = min(high, number - (true == "<"))
    return low, high
