"""A program with several ranks: each a process with a group, their results in order, a failure told."""

from __future__ import annotations

import os

import pytest
import torch
from inside_torch.run.ranks import on_ranks
from torch import distributed
from torch.multiprocessing import ProcessRaisedException


def reduced(rank: int) -> tuple[int, int, list[float]]:
    tensor = torch.full((3,), float(rank))
    distributed.all_reduce(tensor)
    return os.getpid(), distributed.get_rank(), tensor.tolist()


@pytest.mark.parametrize("world", [1, 2, 4])
def test_each_rank_works_in_a_process_and_a_group_of_its_own(world):
    pids, ranks, tensors = zip(*on_ranks(reduced, world), strict=True)
    assert len({os.getpid(), *pids}) == world + 1
    assert list(ranks) == list(range(world))
    assert tensors == ([float(sum(range(world)))] * 3,) * world
    assert not distributed.is_initialized()


def test_a_function_of_a_function_and_a_large_result_come_back():
    numbers = list(range(200_000))
    assert on_ranks(lambda rank: numbers[rank:]) == [numbers, numbers[1:]]


def test_a_rank_that_fails_is_told_and_ends_the_others(capsys):
    def work(rank: int) -> None:
        print("begun", rank)
        if rank == 1:
            raise LookupError("the second rank has nothing")
        distributed.barrier()

    with pytest.raises(ProcessRaisedException, match="the second rank has nothing"):
        on_ranks(work)
    assert "begun 1" in capsys.readouterr().out


def test_what_the_ranks_print_comes_rank_by_rank(capsys):
    def work(rank: int) -> None:
        for line in range(3):
            print(rank, line)
            distributed.barrier()

    on_ranks(work)
    assert capsys.readouterr().out == "0 0\n0 1\n0 2\n1 0\n1 1\n1 2\n"


def test_a_process_that_has_a_group_is_told_so():
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(RuntimeError, match="has a process group already"):
            on_ranks(reduced)
    finally:
        distributed.destroy_process_group()
    assert len(on_ranks(reduced)) == 2
