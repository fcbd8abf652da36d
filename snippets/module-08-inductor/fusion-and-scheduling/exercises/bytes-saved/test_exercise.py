"""The score of each pair of nodes is the scheduler's own."""

import sys
from pathlib import Path

import pytest
import torch
from exercise import saved

sys.path.insert(0, str(Path(__file__).parents[2]))
from scheduled import kept, scheduled_once


def plain(accesses):
    return [(access.buffer, access.index, access.sizes, access.bytes) for access in accesses]


def scores(function):
    """For each pair what is returned, and the scheduler's answer."""
    run = scheduled_once(function, torch.ones(32, 32))
    nodes = {node.name: node for node in run.before}
    for names, score in run.scores.items():
        first, second = (nodes[name] for name in names)
        yield saved(*map(plain, (first.reads, first.writes, second.reads, second.writes))), score
        yield saved(*map(plain, (second.reads, second.writes, first.reads, first.writes))), score


@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda x: (x.sin(), x.cos()), id="two_of_one"),
        pytest.param(lambda x: (x.sum(0), x.sum(1)), id="rows_and_columns"),
        pytest.param(lambda x: (x.sin(), x[:16].cos()), id="a_part"),
        pytest.param(lambda x: (x[:16].sin(), x[16:].cos()), id="two_halves"),
        pytest.param(lambda x: kept(x.double().sin()) * 2, id="eight_bytes"),
        pytest.param(lambda x: kept(kept(x.sin()) * 2), id="one_after_the_other"),
        pytest.param(lambda x: x.softmax(1), id="softmax"),
        pytest.param(lambda x: (x + x.t(), x.t() * 2, x * 2), id="twice_of_one"),
        pytest.param(lambda x: (x + x.t(), x - x.t()), id="two_places_of_one"),
        pytest.param(lambda x: x / x.sum(), id="one_number"),
        pytest.param(lambda x: (x + x[:1], x * 2, x[0] * 2), id="broadcast"),
        pytest.param(lambda x: (x + x[0], x[:16] * x[0]), id="one_row_in_other_loops"),
        pytest.param(lambda x: (x + x[0], x.view(64, 16) * x[0, :16]), id="as_many_steps"),
        pytest.param(lambda x: (x + x[0], x[:, :16] * x[0, :16]), id="as_many_rows"),
        pytest.param(
            lambda x: (x[:16].t().contiguous(), x[:, :16].t().contiguous()), id="sizes_in_another_order"
        ),
        pytest.param(lambda x: (x * x[0][:, None], x[0] + 1), id="one_access_in_other_loops"),
        pytest.param(
            lambda x: [
                x[:a, None, :c] * x[:b, :1]
                for a, b, c in ((4, 6, 8), (6, 4, 8), (4, 8, 6), (4, 3, 8), (4, 6, 7))
            ],
            id="a_loop_between_that_is_not_named",
        ),
        pytest.param(
            lambda x: (x[x[:4, 0].long()], x[x[:4, 0].long()][:, :16] * 2), id="rows_with_numbers_from_memory"
        ),
        pytest.param(
            lambda x: (x[x[:4, 0].long()], x[x[:4, 1].long()] * 2), id="other_rows_with_numbers_from_memory"
        ),
        pytest.param(lambda x: (x[:16, :16].sin(), x[:16, :16].t().contiguous()), id="loops_exchanged"),
        pytest.param(lambda x: (x[:16] * x[0, 0], x[16:] * x[0, 0]), id="four_bytes"),
    ],
)
def test_as_the_scheduler(function):
    pairs = list(scores(function))
    assert pairs
    for ours, theirs in pairs:
        assert ours == theirs
