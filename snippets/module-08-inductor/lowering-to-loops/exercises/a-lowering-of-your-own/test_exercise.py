"""The lowering is the operator in one loop: of views, of what has no buffer, and of another length."""

import sys
from pathlib import Path

import torch
from exercise import skew
from torch._inductor.exc import InductorError
from torch._inductor.lowering import lowerings, register_lowering

sys.path.insert(0, str(Path(__file__).parents[2]))
from interpret import interpret
from lowered import lower


@torch.library.custom_op("book::skew", mutates_args=())
def operator(x: torch.Tensor) -> torch.Tensor:
    return x - x.flip(-1)


@operator.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


lowerings.pop(torch.ops.book.skew.default, None)
register_lowering(torch.ops.book.skew.default, type_promotion_kind=None)(skew)


def lowered(function, x, **options):
    try:
        return lower(function, x, **options)
    except InductorError as error:
        raise AssertionError(f"it cannot be lowered: {error}") from error


def one_loop(function, x):
    """Lowered to one loop, which gives what eager mode gives."""
    found = lowered(function, x)
    assert found.names() == ["Pointwise"]
    (result,) = interpret(found, x)
    assert result.dtype == x.dtype and torch.equal(result, function(x))


def numbers(*shape, **options):
    return torch.arange(torch.Size(shape).numel(), **options).reshape(shape) ** 2


def test_a_row():
    one_loop(lambda x: operator(x), numbers(6, dtype=torch.float32))


def test_the_last_of_three_dimensions_of_integers():
    one_loop(lambda x: operator(x), numbers(2, 3, 4) + 2**60)


def test_floats_of_64_bits():
    one_loop(lambda x: operator(x), numbers(2, 5, dtype=torch.float64) + 2**40)


def test_a_view():
    one_loop(lambda x: operator(x.t()[1:]), numbers(3, 5, dtype=torch.float32))


def test_what_has_no_buffer():
    one_loop(lambda x: operator(x + 1) * 2, numbers(3, 5, dtype=torch.float32))
    found = lowered(lambda x: operator(x.exp()), numbers(3, 5, dtype=torch.float32))
    assert found.names() == ["Pointwise"]
    one_loop(lambda x: operator((x + x.flip(0)).t()), numbers(3, 5, dtype=torch.float32))
    one_loop(lambda x: operator(sum(x[i : i + 3] for i in range(12))), numbers(14, 5, dtype=torch.float32))
    one_loop(lambda x: operator(sum([x, *range(30)])), numbers(3, 5, dtype=torch.float32))


def test_any_length():
    for seen, x in (numbers(6), numbers(9)), (numbers(3, 5), numbers(2, 7)):
        found = lowered(lambda x: operator(x + 1) * 2, seen, dynamic=True)
        assert found.names() == ["Pointwise"]
        assert torch.equal(interpret(found, x)[0], (x - x.flip(-1)) * 2)
