"""Few numbers go with little memory, and what shares memory goes on sharing it."""

import torch
from exercise import parcel


def test_a_row_and_a_column_bring_their_own_numbers_alone():
    matrix = torch.arange(4096.0).reshape(64, 64)
    given = [matrix[3], matrix[:, 3]]
    row, column = parcel(given)
    assert torch.equal(row, matrix[3]) and torch.equal(column, matrix[:, 3])
    assert row.untyped_storage().nbytes() == column.untyped_storage().nbytes() == 256
    assert given[0].data_ptr() == matrix[3].data_ptr()  # what was given is a row of the matrix still


def test_less_than_half_becomes_a_copy_and_half_stays():
    for dtype in torch.uint8, torch.float64:
        numbers = torch.arange(8, dtype=dtype)
        less, half = parcel([numbers[:3].data, numbers[:4]])
        assert less.untyped_storage().nbytes() == 3 * numbers.itemsize
        assert half.data_ptr() == numbers.data_ptr()


def test_what_shares_goes_on_sharing():
    numbers = torch.arange(8.0)
    whole, part = parcel([numbers, numbers[2:]])
    part[0] = 100
    assert whole.tolist() == [0, 1, 100, 3, 4, 5, 6, 7]
    for view in numbers.view(2, 4).T, numbers.view(2, 2, 2).mT, numbers[:1].expand(8):
        assert parcel([view])[0].data_ptr() == numbers.data_ptr()


def test_what_is_in_shared_memory_stays_there():
    numbers = torch.arange(1000.0).share_memory_()
    before, part, behind = parcel([torch.arange(1000.0)[5:7], numbers[5:7], torch.arange(1000.0)[5:7]])
    (last,) = parcel([torch.arange(1000.0)[5:7], numbers])[:1]
    assert part.data_ptr() == numbers[5:7].data_ptr()
    for other in before, behind, last:
        assert other.untyped_storage().nbytes() == 8


def test_no_numbers_at_all_bring_no_memory():
    (nothing,) = parcel([torch.arange(8.0)[:0]])
    assert nothing.untyped_storage().nbytes() == 0
