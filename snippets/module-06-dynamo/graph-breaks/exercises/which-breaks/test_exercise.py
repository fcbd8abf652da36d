"""A break in the open, at a condition, in a loop, in a try, two in one, and none."""

import torch
import torch._dynamo as dynamo
from exercise import kinds

CALL = "Call to `torch._dynamo.graph_break()`"
CONDITION = "Data-dependent branching"


def whole(x):
    """Nothing breaks."""
    return x.sin().cos()


def in_the_open(x):
    """A call that splits."""
    y = x.sin()
    dynamo.graph_break()
    return y.cos()


def at_a_condition(x):
    """A tensor is asked for its truth."""
    y = x.sin()
    return y.cos() if y.sum() > 0 else y.tan()


def in_a_loop(x):
    """The frame is given up."""
    for _ in range(2):
        x = x.sin()
        dynamo.graph_break()
    return x


def in_a_try(x):
    """What came before is kept."""
    y = x.sin().cos()
    try:
        dynamo.graph_break()
    finally:
        y = y.tan()
    return y


def two_kinds(x):
    """A call that splits, and a condition in what is resumed."""
    y = in_the_open(x)
    return y.cos() if y.sum() > 0 else y.tan()


def two_that_split(x):
    """Two calls, each of which splits."""
    y = in_the_open(x)
    z = y * y.sum().item()
    return z.tan()


def two_given_up(x, times):
    """The frame is given up, and a function that it calls has a condition."""
    for _ in range(times):
        dynamo.graph_break()
    return at_a_condition(x)


def whole_once(x, seen):
    """Breaks when it is called again."""
    if seen:
        dynamo.graph_break()
    seen.append(1)
    return x.sin()


def test_no_break():
    assert kinds(whole, torch.ones(2)) == set()


def test_a_break_that_splits():
    assert kinds(in_the_open, torch.ones(2)) == {CALL}


def test_a_condition():
    assert kinds(at_a_condition, torch.ones(2)) == {CONDITION}


def test_a_frame_that_is_given_up():
    for function in in_a_loop, in_a_try:
        assert kinds(function, torch.ones(2)) == {CALL}


def test_two_breaks():
    assert kinds(two_kinds, torch.ones(2)) == {CALL, CONDITION}
    assert len(kinds(two_that_split, torch.ones(2))) == 2
    assert kinds(two_given_up, torch.ones(2), 2) == {CALL, CONDITION}


def test_it_is_called_once():
    assert kinds(whole_once, torch.ones(2), []) == set()


def test_an_earlier_call_leaves_nothing():
    for _ in range(2):
        assert kinds(in_the_open, torch.ones(2)) == {CALL}
        assert kinds(in_a_loop, torch.ones(2)) == {CALL}
        assert kinds(whole, torch.ones(2)) == set()


def test_what_broke_before_the_call_is_not_met():
    torch.compile(in_the_open, backend="eager")(torch.ones(2))
    assert kinds(whole, torch.ones(2)) == set()
