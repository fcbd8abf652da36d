"""The grouped attention beside the decoder's own, and beside the operator's."""

import sys
from pathlib import Path

import pytest
import torch
from exercise import GroupedAttention
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[2]))
from decoder import Attention

WIDTH, HEADS = 24, 4  # a head is 6 wide: a number of its own, lest one stand for the other


def test_with_as_many_groups_as_heads_it_is_the_decoders():
    ours, theirs = GroupedAttention(WIDTH, HEADS, HEADS), Attention(WIDTH, HEADS)
    with torch.no_grad():
        theirs.qkv.weight.copy_(torch.cat([ours.q.weight, ours.kv.weight]))
        theirs.qkv.bias.copy_(torch.cat([ours.q.bias, ours.kv.bias]))
    theirs.out.load_state_dict(ours.out.state_dict())
    x = torch.randn(2, 5, WIDTH)
    torch.testing.assert_close(ours(x), theirs(x))
    for module in ours, theirs:
        module(x).square().sum().backward()
    grads = torch.cat([ours.q.weight.grad, ours.kv.weight.grad])
    torch.testing.assert_close(grads, theirs.qkv.weight.grad)


@pytest.mark.parametrize("groups", [1, 2])
def test_neighbours_share(groups):
    ours = GroupedAttention(WIDTH, HEADS, groups)
    x = torch.randn(2, 5, WIDTH, requires_grad=True)
    q = ours.q(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
    k, v = (part.unflatten(-1, (groups, -1)).transpose(1, 2) for part in ours.kv(x).chunk(2, -1))
    theirs = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    results = ours(x), ours.out(theirs.transpose(1, 2).flatten(2))
    torch.testing.assert_close(*results)
    grads = (torch.autograd.grad(each.square().sum(), (x, ours.q.weight, ours.kv.weight)) for each in results)
    torch.testing.assert_close(*grads)


@pytest.mark.parametrize("groups", [1, 2])
def test_in_parts_it_gives_the_same(groups):
    ours, x, caches = GroupedAttention(WIDTH, HEADS, groups), torch.randn(2, 2, 6, WIDTH), ({}, {})
    turns = [[ours(*pair) for pair in zip(part, caches, strict=True)] for part in x.split([3, 1, 2], 2)]
    for sequence, parts in zip(x, zip(*turns, strict=True), strict=True):
        torch.testing.assert_close(torch.cat(parts, 1), ours(sequence))


def test_the_cache_is_as_small_as_the_groups():
    ours, cache, x = GroupedAttention(WIDTH, HEADS, 2), {}, torch.randn(1, 5, WIDTH)
    for new, total in (3, 3), (2, 5):
        ours(x[:, total - new : total], cache)
        assert sorted((name, *each.shape) for name, each in cache.items()) == [
            (name, 1, 2, total, WIDTH // HEADS) for name in "kv"
        ]
        held = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in cache.values()}
        assert sum(held.values()) == sum(each.nbytes for each in cache.values())  # a view would keep more
        for name, part in zip("kv", ours.kv(x[:, :total]).chunk(2, -1), strict=True):
            torch.testing.assert_close(cache[name].transpose(1, 2).flatten(2), part)
