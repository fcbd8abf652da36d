"""Reports the innermost line of Python, which lies in torch where a module of torch made the call."""

import traceback

import solution
from solution import *  # noqa: F403


def line_of_the_caller():
    return next(
        frame.line
        for frame in reversed(traceback.extract_stack())
        if frame.filename not in (__file__, solution.__file__)
    )


solution.line_of_the_caller = line_of_the_caller
