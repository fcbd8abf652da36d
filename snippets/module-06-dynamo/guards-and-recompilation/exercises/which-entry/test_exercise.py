"""The answer, held against torch.compile."""

import random

import torch
from exercise import serving
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries


def recorded(sizes):
    """The number of the compilation that served each call: that entry is in front afterwards."""
    torch._dynamo.reset()

    def function(x):
        return x + 1

    compiled = torch.compile(function, backend="eager")
    found = []
    for size in sizes:
        compiled(torch.ones(size))
        found.append(cache_entries(function)[0].compile_id.frame_compile_id)
    return found


def test_one_size_and_another():
    for sizes in [5], [5, 5], [5, 6, 7, 8], [2, 3]:
        assert serving(sizes) == recorded(sizes), sizes


def test_zero_and_one():
    for sizes in [1, 1], [5, 6, 1, 0, 1], [0, 1, 2, 3], [1, 5, 7, 1]:
        assert serving(sizes) == recorded(sizes), sizes


def test_the_first_size_again():
    for sizes in [5, 6, 5], [3, 3, 4, 3, 4], [5, 1, 6, 1, 5]:
        assert serving(sizes) == recorded(sizes), sizes


def test_chance():
    numbers = random.Random(0)
    for _ in range(10):
        sizes = [numbers.randrange(6) for _ in range(8)]
        assert serving(sizes) == recorded(sizes), sizes
