"""Your Reducer on two ranks: what it sends, and gradients beside those that are averaged after backward."""

import pytest
import torch
from exercise import Reducer, assign
from inside_torch.run import ranks
from torch import distributed, multiprocessing, nn

ONE = 8 * 8 * 4  # the bytes of one layer
ALL, EACH = [[0, 1, 2, 3]], [[3], [2], [1], [0]]


def on_ranks(work):
    """What `work` gave on each of two ranks; what went wrong on one of them fails the test."""
    try:
        return ranks.on_ranks(work)
    except multiprocessing.ProcessRaisedException as error:
        raise AssertionError(str(error)) from None


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(8, 8, bias=False) for _ in range(4))

    def forward(self, x, order):
        for name in order:
            x = self.layers[int(name)](x)
        return x


def steps(caps, *orders):
    """For each rank: the buckets of each step, and whether the gradients of each step were the averages.

    The orders are those in which the steps use the layers, `3210/0123` where rank 1 has another one.
    """

    def work(rank):
        ours, plain, found = Layers(), Layers(), []
        reducer, x = Reducer(list(ours.parameters()), caps), torch.full((1, 8), rank + 1.0)
        for order in orders:
            own = order.split("/")[-1 if rank else 0]
            ours.zero_grad()
            plain.zero_grad()
            reducer.prepare()
            ours(x, own).sum().backward()
            plain(x, own).sum().backward()
            for weight in plain.parameters():
                weight.grad /= distributed.get_world_size()
                distributed.all_reduce(weight.grad)
            pairs = zip(ours.parameters(), plain.parameters(), strict=True)
            found.append(([*reducer.sent], all(torch.equal(one.grad, other.grad) for one, other in pairs)))
            reducer.sent.clear()
        return found

    return on_ranks(work)


@pytest.mark.parametrize("caps", [[1], [40], [41], [100, 200], [80, 40, 400], [10_000]])
def test_a_bucket_is_closed_when_it_has_its_cap(caps):
    tensors = [torch.empty(size, dtype=torch.uint8) for size in (40, 40, 120, 4, 40, 200, 8)]
    expected = distributed._compute_bucket_assignment_by_size(tensors, caps)[0]
    assert assign(list(range(7)), [len(tensor) for tensor in tensors], caps) == expected


def test_one_step_has_one_bucket():
    assert steps([ONE], "0123") == [[(ALL, True)]] * 2


@pytest.mark.parametrize(
    "cap, buckets", [(ONE, EACH), (ONE + 1, [[3, 2], [1, 0]]), (9 * ONE, [[3, 2, 1, 0]])]
)
def test_the_second_step_has_new_buckets(cap, buckets):
    assert steps([cap], "0123", "0123", "0123") == [[(ALL, True), (buckets, True), (buckets, True)]] * 2


def test_buckets_have_the_order_of_the_first_step():
    assert steps([ONE], "2031", "0123") == [[(ALL, True), ([[1], [3], [0], [2]], True)]] * 2


def test_buckets_are_sent_while_gradients_are_still_to_come():
    def work(rank):
        model, early = Layers(), []
        model.layers[0].weight.register_post_accumulate_grad_hook(lambda _: early.append(len(reducer.sent)))
        reducer = Reducer(list(model.parameters()), [ONE])
        for _ in range(2):
            reducer.prepare()
            model(torch.full((1, 8), rank + 1.0), "0123").sum().backward()
        return early

    assert on_ranks(work) == [[0, 4]] * 2  # with the one bucket of the first step


def test_a_bucket_waits_for_its_turn():
    assert steps([ONE], "0123", "0123", "3210", "1302") == [[(ALL, True), *[(EACH, True)] * 3]] * 2


def test_ranks_that_use_the_layers_in_another_order():
    assert steps([ONE], *["0123/3210"] * 3) == [[(ALL, True), (EACH, True), (EACH, True)]] * 2


def test_a_backward_that_was_not_prepared_stays_local():
    def work(rank):
        model = Layers()
        reducer = Reducer(list(model.parameters()), [ONE])
        model(torch.full((1, 8), rank + 1.0), "0123").sum().backward()
        return reducer.sent, model.layers[0].weight.grad.abs().sum().item()

    (sent, one), (_, other) = on_ranks(work)
    assert sent == [] and one != other
