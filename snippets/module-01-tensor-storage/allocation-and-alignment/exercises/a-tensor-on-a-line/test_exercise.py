"""What is promised of blocks is not promised of tensors, and an address can be looked at."""

import pytest
import torch
from exercise import empty_on_line, on_line


@pytest.mark.parametrize("line", [32, 64])
def test_a_line_of_the_allocators(line):
    x = empty_on_line((3, 5), line)
    assert x.shape == (3, 5) and x.is_contiguous() and x.dtype == torch.float32
    assert x.data_ptr() % line == 0


@pytest.mark.parametrize("line", [4096, 65536])
def test_a_longer_line(line):
    tensors = [empty_on_line((size,), line, torch.float64) for size in (1, 7, 1000)]
    assert all(x.data_ptr() % line == 0 for x in tensors), "the block begins where the allocator says"
    assert all(x.dtype == torch.float64 for x in tensors)


def test_the_memory_is_all_there():
    x, y = empty_on_line((1000,), 4096), empty_on_line((1000,), 4096)
    x.fill_(3)
    y.fill_(4)
    assert x.sum() == 3000, "each has memory of its own"
    assert empty_on_line((), 4096).numel() == 1


def test_what_is_fine_is_left():
    x = torch.ones(8, device="cpu")
    assert on_line(x, 64) is x
    assert not torch._C._is_cow_tensor(x), "to look is enough"
    x = torch.ones(32, device="cpu")[16:]
    assert on_line(x, 64) is x, "a view may begin on the line"
    x = torch.ones(1, 8, device="cpu").t()
    assert on_line(x, 64) is x, "it is contiguous: the stride along one number is not looked at"


def test_a_tensor_that_begins_its_block_is_looked_at():
    tensors = [on_line(torch.ones(8, device="cpu"), 65536) for _ in range(3)]
    assert all(y.data_ptr() % 65536 == 0 for y in tensors), "an offset of 0 says nothing of the address"


def test_a_view_is_copied():
    x = torch.arange(9.0, device="cpu")
    y = on_line(x[1:], 32)
    assert y.data_ptr() % 32 == 0 and y.tolist() == x[1:].tolist()
    y.add_(1)
    assert x[1] == 1, "the copy was asked for"


def test_a_copy_is_on_a_longer_line_and_of_the_same_type():
    x = torch.arange(9, device="cpu")
    copies = [on_line(x[1:], 65536) for _ in range(3)]
    assert all(y.data_ptr() % 65536 == 0 for y in copies), "a clone begins where the allocator says"
    assert all(y.dtype == x.dtype and y.tolist() == x[1:].tolist() for y in copies)


def test_strides_are_looked_at_too():
    x = torch.arange(6.0, device="cpu").reshape(2, 3).t()
    copies = [on_line(x, 65536) for _ in range(3)]
    assert all(y.is_contiguous() and y.tolist() == x.tolist() for y in copies)
    assert all(y.data_ptr() % 65536 == 0 for y in copies), "`contiguous()` begins where the allocator says"
    assert len({y.data_ptr() for y in copies}) == 3, "each copy has memory of its own"
    assert on_line(x, 32).is_contiguous(), "the address is fine, the strides are not"
    x = torch.ones(4, 4, device="cpu")[:, :2]
    assert on_line(x, 32).is_contiguous(), "the last stride is 1, and there are gaps between the rows"
    x = torch.ones(1, 2, 3, 3, device="cpu").to(memory_format=torch.channels_last)
    assert on_line(x, 32).is_contiguous(), "contiguous in another memory format"


def test_a_lazy_clone_stays_lazy():
    clone = torch._lazy_clone(torch.ones(8, device="cpu"))
    assert on_line(clone, 64) is clone
    assert torch._C._is_cow_tensor(clone), "nothing was written, and a copy was made"
    assert on_line(clone[1:], 64).const_data_ptr() % 64 == 0, "a lazy clone may be off the line"
    clone = torch._lazy_clone(torch.ones(2, 3, device="cpu").t())
    assert on_line(clone, 64).is_contiguous(), "a lazy clone has the strides of its original"
