"""What must hold of the device. Run `pytest` in this folder."""

import copy
import io
import itertools

import abacus
import main
import pytest
import torch


@pytest.mark.parametrize("nbytes", [1, 31, 32, 33, 4097])
def test_every_block_lies_on_a_line(nbytes):
    blocks = [torch.empty(nbytes, dtype=torch.uint8, device="abacus") for _ in range(5)]
    assert [block.data_ptr() % 32 for block in blocks] == [0] * 5
    spans = sorted((block.data_ptr(), block.data_ptr() + nbytes) for block in blocks)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_memory_comes_back():
    before = torch.accelerator.memory_allocated()
    tensors = [torch.empty(n, device="abacus") for n in (1, 100, 7)]
    assert torch.accelerator.memory_allocated() - before == 32 + 416 + 32
    del tensors[1], tensors
    assert torch.accelerator.memory_allocated() == before


def test_out_of_memory_is_an_error_of_its_own():
    with pytest.raises(torch.OutOfMemoryError, match="no room"):
        torch.empty(1 << 30, device="abacus")


@pytest.mark.parametrize("shift", range(9))
def test_add_is_right_on_lines_and_off_them(shift):
    x = torch.arange(40.0)
    y = x.to("abacus")
    before = abacus.lines()
    assert (y[shift:] + y[: 40 - shift]).cpu().equal(x[shift:] + x[: 40 - shift])
    assert (abacus.lines() > before) == (shift % 8 == 0)


@pytest.mark.parametrize("other", [torch.ones(3), torch.ones(2, 1), torch.tensor([1, 2, 3]), 2, 0.5])
def test_add_broadcasts_and_promotes(other):
    x = torch.arange(6.0).reshape(2, 3)
    there = other.to("abacus") if isinstance(other, torch.Tensor) else other
    right = torch.add(x, other, alpha=3)
    assert torch.add(x.to("abacus"), there, alpha=3).cpu().equal(right)
    assert torch.add(x.t().to("abacus").t(), there, alpha=3).cpu().equal(right)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float16, torch.float64, torch.complex64])
def test_add_of_another_type(dtype):
    x = torch.arange(5).to(dtype)
    assert (x.to("abacus") + x.to("abacus")).cpu().equal(x + x)


def test_add_refuses_two_devices():
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(2, device="abacus:0") + torch.ones(2, device="abacus:1")


def test_copies_between_all_and_with_strides():
    x = torch.arange(24.0).reshape(2, 3, 4)
    y = x.to("abacus:0").to("abacus:1").transpose(0, 2)
    assert y.device == torch.device("abacus:1")
    assert y.cpu().equal(x.transpose(0, 2))
    y.copy_(torch.zeros(4, 3, 2))
    assert not y.cpu().any()
    assert x.to("abacus", torch.int32).cpu().equal(x.int())


def test_views_share_memory():
    x = torch.zeros(4, 4, device="abacus")
    x.view(16)[3] = 1
    x.t()[3, 1] = 2
    x.unfold(0, 2, 2)[1, 1, 1] = 3
    assert x.cpu().nonzero().tolist() == [[0, 3], [1, 3], [3, 1]]
    assert torch.view_as_complex(x.view(4, 2, 2)).data_ptr() == x.data_ptr()


def test_resize_keeps_what_was_there():
    x = torch.arange(3.0, device="abacus")
    assert x.resize_(5)[:3].tolist() == [0, 1, 2]
    x.untyped_storage().resize_(8)
    assert x.untyped_storage().nbytes() == 8
    assert x.resize_(2).tolist() == [0, 1]


def test_deepcopy_and_print():
    x = torch.ones(2, device="abacus:1")
    assert copy.deepcopy(x).device == x.device
    assert repr(x) == "tensor([1., 1.], device='abacus:1')"


def test_training_is_the_same_as_on_the_cpu():
    losses = main.train("abacus")
    assert losses == main.train("cpu")
    assert losses == sorted(losses, reverse=True)


def test_autocast():
    layer = torch.nn.Linear(2, 2).to("abacus")
    with torch.amp.autocast("abacus", dtype=torch.bfloat16):
        y = layer(torch.ones(1, 2, device="abacus"))
    assert y.dtype == torch.bfloat16
    y.sum().backward()
    assert layer.weight.grad.dtype == torch.float32


def test_a_file_comes_back_to_its_device():
    file = io.BytesIO()
    torch.save({"x": torch.ones(2, device="abacus:1")}, file)
    file.seek(0)
    assert torch.load(file)["x"].device == torch.device("abacus:1")


def test_seeds():
    torch.manual_seed(3)
    x = torch.rand(20, device="abacus")
    state = abacus.get_rng_state()
    y = torch.rand(20, device="abacus")
    abacus.set_rng_state(state)
    assert torch.rand(20, device="abacus").tolist() == y.tolist() != x.tolist()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend):
    f = torch.compile(lambda x: (x + x).relu(), backend=backend, fullgraph=True)
    assert f(torch.ones(8, device="abacus")).tolist() == [2.0] * 8
