"""Asks the tensors among the arguments for their keys, and not those inside a list."""

import solution
from solution import *  # noqa: F403

with_lists = solution.effective


def effective(operator, arguments):
    return with_lists(operator, [argument for argument in arguments if not isinstance(argument, list)])


solution.effective = effective
