"""Frames counted, and nothing left behind."""

import contextlib

import pytest
import torch
from exercise import frames_of
from torch._C._dynamo.eval_frame import get_eval_frame_callback, set_eval_frame
from torch._dynamo.decorators import skip
from torch._dynamo.testing import CompileCounter


def fibonacci(n: int) -> int:
    """The number, by calling itself."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def raising(error: BaseException) -> None:
    """Ends early."""
    raise error


def thrice(x: torch.Tensor) -> torch.Tensor:
    """What is to be compiled later."""
    return x * 3


def test_once_for_a_function_that_calls_nobody() -> None:
    assert frames_of(lambda: 1) == {"<lambda>": 1}


def test_each_frame_counts() -> None:
    assert frames_of(fibonacci, 5) == {"fibonacci": 15}
    assert frames_of(fibonacci, 5) == {"fibonacci": 15}


def test_a_frame_that_goes_on_counts() -> None:
    assert frames_of(lambda: sum(n for n in (1, 2))) == {"<lambda>": 1, "<genexpr>": 4}


def thrown_into() -> None:
    """A generator that is begun, asked once, and goes on with an exception."""
    numbers = (n for n in (1, 2))
    next(numbers)
    with contextlib.suppress(KeyError):
        numbers.throw(KeyError())


def test_three_kinds_of_frames_are_not_counted() -> None:
    assert frames_of(skip(lambda: 1)) == {}
    assert "fibonacci" not in frames_of(torch.compiler.disable(fibonacci), 5)
    assert frames_of(thrown_into)["<genexpr>"] == 2


def test_a_callback_from_before_is_put_back() -> None:
    before = set_eval_frame(False)
    try:
        frames_of(lambda: 1)
        assert get_eval_frame_callback() is False
    finally:
        set_eval_frame(before)


def test_the_callback_is_put_back_after_an_exception() -> None:
    try:
        for error in KeyError("here"), KeyboardInterrupt():
            with pytest.raises(type(error)):
                frames_of(raising, error)
            assert get_eval_frame_callback() is None
    finally:
        set_eval_frame(None)


def counting_within() -> None:
    """Counts the frames of one function, and then calls another."""
    frames_of(lambda: 1)
    afterwards(2)


def afterwards(number: int) -> int:
    """Called where another count goes on."""
    return number


def test_a_count_within_a_count_gives_way_to_the_outer_one() -> None:
    assert frames_of(counting_within)["afterwards"] == 1


def test_a_function_of_torch_counts() -> None:
    assert frames_of(torch.nn.functional.softsign, torch.ones(1))["softsign"] == 1


def test_what_was_counted_can_still_be_compiled() -> None:
    frames_of(thrice, 2)
    counter = CompileCounter()
    torch.compile(thrice, backend=counter)(torch.ones(1))
    assert counter.frame_count == 1


def test_what_was_compiled_stays_compiled() -> None:
    counter = CompileCounter()
    fast = torch.compile(thrice, backend=counter)
    fast(torch.ones(1))
    frames_of(thrice, 2)
    fast(torch.ones(1))
    assert counter.frame_count == 1
