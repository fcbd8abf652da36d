"""A copy where the loop would read what it has written, and none elsewhere."""

import numpy
import pytest
import torch
from exercise import in_place


def matrix():
    return torch.arange(1.0, 49.0, device="cpu").reshape(2, 24)


def subtracted(target, operand):
    """Subtract in place; was the operand handed on as it was?"""
    wanted = target - operand.clone()
    seen = []

    def operation(target, operand):
        seen.append(operand)
        target.sub_(operand)

    in_place(operation, target, operand)
    assert len(seen) == 1, "the operation is called once"
    assert torch.equal(target, wanted), f"{target.tolist()}, not {wanted.tolist()}"
    handed = seen[0] is operand
    assert handed or seen[0].data_ptr() != operand.data_ptr(), "neither the operand nor a copy of it"
    return handed


@pytest.mark.parametrize("column", [0, 1, 23])
def test_a_column_of_its_own(column):
    a = matrix()
    assert not subtracted(a, a[:, column : column + 1])


def test_an_operand_that_was_expanded():
    a = matrix()
    assert not subtracted(a, a[:, :1].expand(2, 24))


def test_a_part_of_the_row_before():
    a = matrix()
    assert not subtracted(a[:, 1:], a[:, :-1])


def test_a_part_of_the_row_behind():
    a = matrix()
    assert not subtracted(a[:, :-1], a[:, 1:]), "the loop may come to what lies behind first"


def test_where_pytorch_raises():
    a = matrix()
    assert not subtracted(a, a[0])
    assert not subtracted(a[0, 1:], a[0, :-1])


def test_the_same_places_in_another_order():
    a = matrix()[:, :2]
    assert not subtracted(a, a.t())


def test_two_storages_of_one_memory():
    memory = numpy.arange(1.0, 49.0, dtype=numpy.float32)
    assert not subtracted(torch.from_numpy(memory[1:]), torch.from_numpy(memory[:-1]))


def test_one_element():
    a = matrix()
    assert not subtracted(a, a[1, 1])


def test_itself_is_not_copied():
    a = matrix()
    assert subtracted(a, a), "each element is read before it is written"
    a = matrix()[:, ::2]
    assert subtracted(a, a.view(a.shape))


def test_another_tensor_is_not_copied():
    assert subtracted(matrix(), matrix())


def test_neighbours_are_not_copied():
    a = matrix()
    assert subtracted(a[0], a[1]), "two rows of one storage have no element in common"
    assert subtracted(a[:, ::2], a[:, 1::2]), "nor have two combs"
    assert subtracted(a[:, 1:], a[:, :1]), "nor has a column with those beside it"
    a = matrix()
    assert subtracted(a[0, :3], a.view(-1)[:31:15]), "one is read from its own place, two from beyond"


def test_of_another_type_and_of_three_dimensions():
    a = matrix().double().view(2, 2, 12)
    assert subtracted(a[..., ::2], a[..., 1::2]), "nor have two combs of eight bytes a number"
    assert not subtracted(a, a[..., :1])


def test_of_four_dimensions_and_empty():
    a = matrix().view(2, 2, 3, 4)
    assert not subtracted(a, a[:1]), "the second block is computed from the first"
    assert subtracted(a[:0], a[:0])


def test_what_pytorch_would_refuse_is_handed_on_where_no_copy_is_needed():
    row, seen = torch.ones(1, 4, device="cpu"), []
    in_place(lambda target, operand: seen.append(operand.data_ptr()), row, row[0])
    assert seen == [row.data_ptr()], "each element is read from its own place"
    with pytest.raises(RuntimeError, match="memory location"):
        in_place(torch.Tensor.sub_, row, row[0])
