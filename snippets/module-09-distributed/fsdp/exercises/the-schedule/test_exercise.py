import pytest
from exercise import schedule

FORWARD = ["gather head", "out head", "gather 0", "out 0", "use 0", "free 0", "gather 1", "out 1", "use 1"]


def test_two_blocks():
    forward, backward = schedule(2)
    assert forward == [*FORWARD, "free 1", "use head"]
    assert ", ".join(backward) == (
        "gather 1, use head, out 1, gather 0, use 1, "
        "free 1, reduce 1, out 0, free head, reduce head, free 0, reduce 0"
    )


def test_the_first_block_has_an_input_that_needs_a_gradient():
    _, backward = schedule(2, input_needs_grad=True)
    assert ", ".join(backward) == (
        "gather 1, use head, out 1, gather 0, use 1, "
        "free 1, reduce 1, out 0, use 0, free 0, reduce 0, free head, reduce head"
    )


@pytest.mark.parametrize("kept", [{1}, {0, 1}, {0}])
def test_a_kept_block_is_gathered_once(kept):
    forward, backward = schedule(2, frozenset(kept))
    for block in 0, 1:
        assert (f"free {block}" in forward) == (block not in kept)
        assert (f"gather {block}" in backward) == (block not in kept)
        assert (f"out {block}" in backward) == (block not in kept)
        assert backward.count(f"free {block}") == backward.count(f"reduce {block}") == 1


def test_nobody_looks_past_a_kept_block():
    _, backward = schedule(2, frozenset({1}))
    assert backward[:2] == ["use head", "gather 0"]


def test_a_single_block_is_gathered_ahead_of_the_head():
    _, backward = schedule(1)
    assert backward[:2] == ["gather 0", "use head"]


def test_a_block_of_four_is_gathered_before_the_next_one_is_used():
    _, backward = schedule(4)
    for block in 0, 1, 2:
        assert backward.index(f"gather {block}") < backward.index(f"use {block + 1}")
        assert backward.index(f"gather {block}") > backward.index(f"out {block + 1}")


def test_without_synchronisation_all_is_as_before_but_the_reductions():
    for needs in False, True:
        forward, backward = schedule(3, frozenset({1}), input_needs_grad=needs)
        quiet = schedule(3, frozenset({1}), sync=False, input_needs_grad=needs)
        assert quiet == (forward, [event for event in backward if not event.startswith("reduce")])
