"""What is known of a size after a program has asked about it."""

Question = tuple[str, int]  # such as (">", 4): is the size greater than 4?


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size for which the program is right, `math.inf` where there is none.

    The size has this sample, 2 or more, and is asked about by `<`, `<=`, `>`, `>=`, `==` and `!=`, each
    time against a number, in this order. Export knows no more of it than an interval.
    """
    raise NotImplementedError
