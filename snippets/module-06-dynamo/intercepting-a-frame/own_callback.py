"""A callback of our own, without Dynamo: it watches frames, and puts other code in the place of one."""

from collections.abc import Callable
from types import CodeType
from typing import Any

from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list, reset_code, set_eval_frame
from torch._dynamo.guards import GuardManagerWrapper
from torch._dynamo.types import ConvertFrameReturn, FrameAction, FrameExecStrategy, GuardedCode
from torch._guards import CompileId


# region functions
def price(amount: int) -> int:
    """Twenty per cent of tax."""
    return amount * 120 // 100


def bill(amounts: list[int]) -> int:
    """The sum of the prices."""
    return sum(price(amount) for amount in amounts)


# endregion


# region callback
def with_tax(code: CodeType, percent: int) -> CodeType:
    """The code with another constant."""
    constants = tuple(100 + percent if constant == 120 else constant for constant in code.co_consts)
    return code.replace(co_consts=constants)


def callback(frame: Any, entry: Any, state: dict[Any, Any]) -> ConvertFrameReturn:
    """What the hook asks, before it runs a frame that no entry fits."""
    print("  offered:", frame.f_code.co_name, list(frame.f_locals))
    look_at_the_next = FrameExecStrategy(FrameAction.DEFAULT, FrameAction.DEFAULT)
    if frame.f_code is not price.__code__:
        return ConvertFrameReturn(frame_exec_strategy=look_at_the_next)
    made = GuardedCode(
        with_tax(frame.f_code, 50), GuardManagerWrapper(), CompileId(frame_id=0, frame_compile_id=0)
    )
    return ConvertFrameReturn(frame_exec_strategy=look_at_the_next, guarded_code=made)


def within(callback: Callable | bool, function: Callable, *arguments: Any) -> Any:
    """A call with a callback for this thread; False stands for: look for entries, and ask nobody."""
    before = set_eval_frame(callback)
    try:
        return function(*arguments)
    finally:
        set_eval_frame(before)


# endregion

if __name__ == "__main__":
    print("asked:       ", within(callback, bill, [100, 200]))
    print("run only:    ", within(False, bill, [100, 200]))
    print("no callback: ", bill([100, 200]))
    print("entries:     ", len(_debug_get_cache_entry_list(price.__code__)))
    reset_code(price.__code__)
    print("after reset: ", within(False, bill, [100, 200]))
