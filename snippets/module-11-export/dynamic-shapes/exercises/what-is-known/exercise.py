"""What is known of a size after a program has asked about it."""

Question = tuple[str, int]  # such as (">", 4): is the size greater than 4?


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size of the range, `math.inf` where there is none.

    The size has this sample, 2 or more, and is asked about by `<`, `<=`, `>`, `>=`, `==` and `!=`, each
    time against a number, in this order. A range is one interval.
    """
    raise NotImplementedError
