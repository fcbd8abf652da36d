"""Puts the callback back after the call, and not when the call ends in an exception."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch._C._dynamo.eval_frame import set_eval_frame
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy


def frames_of(function: Callable, *arguments: Any) -> Counter[str]:
    """Call the function, and count frames."""
    counts: Counter[str] = Counter()

    def callback(frame: Any, entry: Any, state: Any) -> ConvertFrameReturn:
        counts[frame.f_code.co_name] += 1
        again = FrameExecStrategy(FrameAction.DEFAULT, FrameAction.DEFAULT)
        return ConvertFrameReturn(frame_exec_strategy=again, apply_to_code=False)

    before = set_eval_frame(callback)
    function(*arguments)
    set_eval_frame(before)
    return counts
