"""The model beside autocast itself: the same events, the same casts, the same values."""

import random

import pytest
import torch
from exercise import CastCache


def run(events):
    """What the model says of each use of a weight, and what torch does."""
    regions = []
    try:
        return beside(CastCache(), events, regions)
    finally:  # a region that stays open would keep the cache of the next test
        for region in reversed(regions):
            region.__exit__(None, None, None)


def beside(model, events, regions):
    weights, versions, said, done, casts = {}, {}, [], [], []
    for kind, *rest in events:
        if kind == "enter":
            regions.append(torch.autocast("cpu", torch.bfloat16))
            regions[-1].__enter__()
            model.enter()
        elif kind == "leave":
            regions.pop().__exit__(None, None, None)
            model.leave()
        elif kind == "write":
            (name,) = rest
            versions[name] += 1
            weights[name].data.fill_(versions[name])
        elif kind == "make":
            name, wants_gradient = rest
            weights[name] = torch.zeros(1, 1, device="cpu", requires_grad=wants_gradient)
            versions[name] = 0
        else:
            (name,) = rest
            weight = weights[name]
            said.append(model.use(name, versions[name], weight.requires_grad))
            one = torch.ones(1, 1, dtype=torch.bfloat16, device="cpu", requires_grad=True)
            product = one @ weight
            cast = product.grad_fn._saved_mat2  # what the product was computed with
            done.append((all(cast.data_ptr() != other.data_ptr() for other in casts), int(product.item())))
            casts.append(cast)  # kept alive, so that no other comes to lie there
    return said, done


def agree(*events):
    said, done = run(events)
    assert said == done


def test_a_weight_is_cast_once_in_a_region():
    agree(("make", "w", True), ("enter",), ("use", "w"), ("use", "w"), ("leave",))


def test_a_frozen_weight_is_cast_each_time():
    agree(("make", "w", False), ("enter",), ("use", "w"), ("write", "w"), ("use", "w"), ("leave",))


def test_a_written_weight_is_not_cast_again():
    agree(("make", "w", True), ("enter",), ("use", "w"), ("write", "w"), ("use", "w"), ("leave",))


def test_the_inner_end_keeps_what_the_outer_one_drops():
    one_more = [("enter",), ("use", "w"), ("leave",), ("use", "w")]
    agree(("make", "w", True), ("enter",), *one_more, ("leave",), ("enter",), ("use", "w"), ("leave",))


@pytest.mark.parametrize("seed", range(5))
def test_at_random(seed):
    rng, depth = random.Random(seed), 0
    events = [("make", "v", True), ("make", "w", True), ("make", "frozen", False)]
    for _ in range(40):
        name, chosen = rng.choice(["v", "w", "frozen"]), rng.random()
        if depth == 0 or chosen < 0.1:
            events, depth = [*events, ("enter",)], depth + 1
        elif chosen < 0.25:
            events, depth = [*events, ("leave",)], depth - 1
        else:
            events.append(("write" if chosen < 0.5 else "use", name))
    agree(*events, *[("leave",)] * depth)
