"""What the caching allocator did in these cases, on the dry GPU; the page counts more of them."""

import pytest
from exercise import Allocator, Queue


@pytest.fixture
def allocator():
    return Allocator()


def test_a_freed_block_is_given_again_at_once_however_far_its_own_queue_lags(allocator):
    main = Queue()
    main.hold()
    block = allocator.malloc(main)
    allocator.free(block)
    assert allocator.malloc(main) is block


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_block_is_given_to_one_tensor_at_a_time_the_oldest_first(allocator, order):
    main = Queue()
    blocks = first, second = allocator.malloc(main), allocator.malloc(main)
    assert first is not second
    for place in order:
        allocator.free(blocks[place])
    assert [allocator.malloc(main), allocator.malloc(main)] == [first, second]


def test_another_queue_gets_a_block_of_its_own(allocator):
    main, side = Queue(), Queue()
    block = allocator.malloc(main)
    allocator.free(block)
    assert allocator.malloc(side) is not block
    assert allocator.malloc(main) is block


def test_a_recorded_block_is_kept_while_the_other_queue_lags(allocator):
    main, side = Queue(), Queue()
    block = allocator.malloc(main)
    side.hold()
    allocator.record_stream(block, side)
    allocator.free(block)
    assert allocator.malloc(main) is not block
    side.release()
    assert allocator.malloc(main) is block


def test_to_record_the_own_queue_means_nothing(allocator):
    main = Queue()
    block = allocator.malloc(main)
    allocator.record_stream(block, main)
    main.hold()
    allocator.free(block)
    assert allocator.malloc(main) is block


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_all_users_have_to_be_done(allocator, order):
    main, users = Queue(), (Queue(), Queue())
    block = allocator.malloc(main)
    for queue in users:
        queue.hold()
        allocator.record_stream(block, queue)
    allocator.free(block)
    users[order[0]].release()
    assert allocator.malloc(main) is not block
    users[order[1]].release()
    assert allocator.malloc(main) is block


def test_a_queue_that_lags_keeps_no_block_of_another_user(allocator):
    main, left, right = Queue(), Queue(), Queue()
    first, second = allocator.malloc(main), allocator.malloc(main)
    left.hold()
    allocator.record_stream(first, left)
    allocator.record_stream(second, right)
    allocator.free(first)
    allocator.free(second)
    assert allocator.malloc(main) is second


def test_all_marks_that_are_reached_are_seen_at_once_and_before_a_block_is_chosen(allocator):
    main, side = Queue(), Queue()
    first, second, third = (allocator.malloc(main) for _ in range(3))
    side.hold()
    for block in (first, second):
        allocator.record_stream(block, side)
    for block in (second, first, third):
        allocator.free(block)
    side.release()
    assert [allocator.malloc(main) for _ in range(3)] == [first, second, third]


def test_what_was_asked_between_the_use_and_the_end_counts_too(allocator):
    main, side = Queue(), Queue()
    block = allocator.malloc(main)
    allocator.record_stream(block, side)
    side.hold()  # the use is done, and something else is not
    allocator.free(block)
    assert allocator.malloc(main) is not block


def test_a_queue_that_waits_for_another_has_not_reached_its_mark(allocator):
    main, side, third = Queue(), Queue(), Queue()
    block = allocator.malloc(main)
    third.hold()
    side.wait_queue(third)
    allocator.record_stream(block, side)
    allocator.free(block)
    assert allocator.malloc(main) is not block
    third.release()
    assert allocator.malloc(main) is block


def test_each_block_has_a_mark_of_its_own(allocator):
    main, side, third = Queue(), Queue(), Queue()
    first, second = allocator.malloc(main), allocator.malloc(main)
    for block in (first, second):
        allocator.record_stream(block, side)
    third.hold()
    allocator.free(first)
    side.wait_queue(third)
    allocator.free(second)
    assert allocator.malloc(main) is first
    assert allocator.malloc(main) is not second
    third.release()
    assert allocator.malloc(main) is second


def test_a_block_that_was_given_again_has_no_users_left(allocator):
    main, side = Queue(), Queue()
    block = allocator.malloc(main)
    allocator.record_stream(block, side)
    allocator.free(block)
    assert allocator.malloc(main) is block
    side.hold()
    allocator.free(block)
    assert allocator.malloc(main) is block
