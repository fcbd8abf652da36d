import torch
from exercise import two_ranks
from inside_torch.run.ranks import on_ranks
from torch import distributed as dist


def test_ranks_that_agree():
    zero, one = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([10.0, 20.0, 30.0, 40.0])
    for left in two_ranks(zero, one, "SUM", "SUM"):
        assert left.tolist() == [11.0, 22.0, 33.0, 44.0]


def test_the_opening_of_the_article():
    zero, one = two_ranks(torch.ones(4), torch.ones(4, dtype=torch.int32), "SUM", "SUM")
    assert one.tolist() == [1065353216, 1065353216, 1065353217, 1065353217]
    assert torch.equal(zero.view(torch.int32), one)


def test_gloo():
    cases = [
        (size, types, operations)
        for size in (1, 2, 5, 6, 7, 11, 13)
        for types in ((torch.float32, torch.float32), (torch.float32, torch.int32))
        for operations in (("SUM", "SUM"), ("SUM", "MAX"), ("MAX", "SUM"), ("MIN", "PRODUCT"))
    ]

    def tensors(size, types):
        return [(torch.arange(size) + 3 * rank + 1).to(types[rank]) for rank in (0, 1)]

    def work(rank):
        left = []
        for size, types, operations in cases:
            data = tensors(size, types)[rank]
            dist.all_reduce(data, op=getattr(dist.ReduceOp, operations[rank]))
            left.append(data)
        return left

    for case, *by_gloo in zip(cases, *on_ranks(work), strict=True):
        size, types, operations = case
        for ours, theirs in zip(two_ranks(*tensors(size, types), *operations), by_gloo, strict=True):
            assert torch.equal(ours.view(torch.uint8), theirs.view(torch.uint8)), case
