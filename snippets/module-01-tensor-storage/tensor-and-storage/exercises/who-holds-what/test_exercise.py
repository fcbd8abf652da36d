"""Storages are what is held, and what is shared."""

import torch
from exercise import held_bytes, slim


def test_one_tensor_holds_its_bytes():
    assert held_bytes([torch.zeros(3, 4)]) == 48
    assert held_bytes(iter([torch.zeros(3, 4)])) == 48, "an iterator can be gone through once"


def test_a_view_holds_the_whole_storage():
    x = torch.zeros(3, 4)
    assert held_bytes([x[:, 1]]) == 48, "the column shows twelve bytes, and what does it hold?"


def test_two_views_of_one_storage_are_counted_once():
    x = torch.zeros(3, 4)
    assert held_bytes([x, x[0], x[1:], x.view(torch.int32)]) == 48, "these begin at different addresses"


def test_three_storages_are_three():
    assert held_bytes([torch.zeros(3), torch.zeros(3), torch.zeros(5)]) == 44, "two of them are of one size"


def test_what_has_no_memory_counts_nothing():
    assert held_bytes([torch.zeros(3), torch.empty(1000, device="meta")]) == 12
    assert held_bytes([]) == 0


def test_slim_lets_go_of_what_is_not_shown():
    row = torch.arange(1000.0)[:10]
    state = {"row": row}
    out = slim(state)["row"]
    assert out.tolist() == row.tolist()
    assert held_bytes([out]) == 40
    assert state["row"] is row, "what was given stays as it is"


def test_slim_asks_what_is_shown_and_not_how_far_it_reaches():
    x = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    for tensor in x[:, ::3], x[1:], torch.arange(1000).expand(2, 1000)[:, :10]:
        out = slim({"tensor": tensor})["tensor"]
        assert held_bytes([out]) == tensor.nbytes, "neither its reach nor its repeats are what it shows"
        assert out.dtype == tensor.dtype and torch.equal(out, tensor), "the same numbers, in the same shape"


def test_slim_keeps_one_tensor_of_two_names():
    row = torch.zeros(1000)[:10]
    out = slim({"first": row, "second": row})
    assert out["first"] is out["second"] is row, "the two names share their memory, and are left alone"


def test_slim_leaves_what_is_full():
    for dtype in torch.float32, torch.float64, torch.int8:
        x = torch.zeros(3, 4, dtype=dtype)
        assert slim({"x": x})["x"] is x, "not each number has four bytes"


def test_slim_keeps_what_is_shared():
    x = torch.zeros(3, 4)
    state = {"first": x[0], "last": x[2]}
    out = slim(state)
    assert all(out[name] is state[name] for name in state), "they are the same tensors"
    x.add_(1)
    assert out["first"].sum() == out["last"].sum() == 4, "they shared memory with each other and with x"


def test_slim_keeps_a_part_beside_the_whole():
    x = torch.zeros(3, 4)
    state = {"whole": x, "row": x[0]}
    assert all(slim(state)[name] is state[name] for name in state), "the whole shares the storage too"


def test_slim_copies_what_has_no_base():
    row = torch.arange(1000.0)[:10].detach()
    assert row._base is None
    assert held_bytes(slim({"row": row}).values()) == 40, "a state dict is of detached tensors"


def test_slim_leaves_what_shows_more_than_it_holds():
    zeros = torch.zeros(1).expand(1000)
    assert slim({"zeros": zeros})["zeros"] is zeros, "a copy of it would take a thousand times the memory"


def test_slim_takes_no_address_for_a_name():
    rows = {name: torch.empty(1000, device="meta")[:10] for name in ("first", "second")}
    held = [row.untyped_storage().nbytes() for row in slim(rows).values()]
    assert held == [40, 40], "two storages without memory have one address, and are two"
