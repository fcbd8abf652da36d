"""Answers with a plain ConvertFrameReturn(), which means: never show me this code object again."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch._C._dynamo.eval_frame import set_eval_frame
from torch._dynamo.types import ConvertFrameReturn


def frames_of(function: Callable, *arguments: Any) -> Counter[str]:
    """Call the function, and count frames."""
    counts: Counter[str] = Counter()

    def callback(frame: Any, entry: Any, state: Any) -> ConvertFrameReturn:
        counts[frame.f_code.co_name] += 1
        return ConvertFrameReturn()

    before = set_eval_frame(callback)
    try:
        function(*arguments)
    finally:
        set_eval_frame(before)
    return counts
