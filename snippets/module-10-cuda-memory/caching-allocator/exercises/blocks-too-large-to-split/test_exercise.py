"""Who gets a large block. A claim of the article compares the solution with the real allocator."""

import pytest
from exercise import WithMaxSplit

MiB = 1 << 20


def after(cached: list[int], requests: list[int], limit: int = 4000, large: int = 200) -> WithMaxSplit:
    """Blocks of these sizes are cached, then these are asked for; all in MiB."""
    allocator = WithMaxSplit(limit * MiB, max_split=large * MiB)
    for block in [allocator.malloc(size * MiB) for size in cached]:
        allocator.free(block)
    for size in requests:
        allocator.malloc(size * MiB)
    return allocator


def test_the_opening_case_is_granted():
    allocator = after([1200], [20, 1200], limit=2048)
    assert allocator.reserved == 1220 * MiB


@pytest.mark.parametrize(
    ("cached", "size"), [(400, 200), (400, 150), (400, 20), (400, 2), (200, 150), (200, 190)]
)
def test_a_large_block_is_kept_for_large_requests(cached, size):
    assert after([cached], [size]).asked == 2


@pytest.mark.parametrize(("large", "asked"), [(500, 1), (100, 2)])
def test_what_is_large_is_set(large, asked):
    assert after([150], [50], large=large).asked == asked


@pytest.mark.parametrize("cached", [200, 210])
def test_the_least_large_request_takes_a_block_as_it_is(cached):
    allocator = after([cached], [200])
    assert allocator.asked == 1
    assert allocator.allocated == cached * MiB


def test_a_large_request_takes_a_block_that_is_little_larger():
    allocator = after([400], [390])
    assert allocator.asked == 1
    assert allocator.allocated == 400 * MiB


@pytest.mark.parametrize(("size", "asked"), [(382, 1), (380, 2), (378, 2)])
def test_how_much_larger(size, asked):
    assert after([400], [size]).asked == asked


def test_what_is_not_large_is_cut_up():
    allocator = after([198], [20, 30, 140])
    assert allocator.asked == 1
    assert [block.size // MiB for block in allocator.snapshot()[0]] == [20, 30, 140, 8]


@pytest.mark.parametrize(("size", "taken"), [(98, 98), (99, 100)])
def test_the_rule_for_the_rest_is_as_before(size, taken):
    assert after([100], [size]).allocated == taken * MiB


def test_of_the_blocks_with_room_the_smallest_is_taken():
    allocator = after([100, 60], [50])
    assert [[block.size // MiB for block in blocks] for blocks in allocator.snapshot()] == [[100], [50, 10]]


def test_a_small_request_gets_no_piece_of_the_large_pool():
    assert after([100], [1]).asked == 2


def test_small_requests_share_a_segment():
    allocator = WithMaxSplit(4000 * MiB)
    for _ in range(3):
        allocator.malloc(1000)
    assert allocator.reserved == 2 * MiB


def test_a_block_that_is_not_taken_stays():
    allocator = after([400], [20])
    allocator.malloc(400 * MiB)
    assert allocator.asked == 2


def test_large_blocks_are_given_back_first():
    allocator = after([100, 400], [300], limit=700)
    assert allocator.reserved == 400 * MiB
