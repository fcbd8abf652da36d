"""Never resets Dynamo, so that a verdict depends on what was compiled before it."""

import copy
import warnings

from solution import *  # noqa: F403
from solution import CAPTURE, WAYS, agrees


def verdict(capture, function, example, others):
    try:
        captured = capture(function, copy.deepcopy(example))
        same = agrees(captured, function, example)
    except Exception:
        return "refuses"
    try:
        return "same" if same and all(agrees(captured, function, other) for other in others) else "differs"
    except Exception:
        return "differs"


def verdicts(function, example, others):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {way: verdict(CAPTURE[way], function, example, others) for way in WAYS}
