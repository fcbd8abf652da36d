"""Count the Python frames that a call begins, by a callback of our own."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from torch._C._dynamo.eval_frame import set_eval_frame
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy


def frames_of(function: Callable, *arguments: Any) -> Counter[str]:
    """Call the function, and say how many frames of each name were begun or resumed in this thread."""
    counts: Counter[str] = Counter()

    def callback(frame: Any, entry: Any, state: Any) -> ConvertFrameReturn:
        counts[frame.f_code.co_name] += 1
        again = FrameExecStrategy(FrameAction.DEFAULT, FrameAction.DEFAULT)
        return ConvertFrameReturn(frame_exec_strategy=again)

    before = set_eval_frame(callback)
    try:
        function(*arguments)
    finally:
        set_eval_frame(before)
    return counts
