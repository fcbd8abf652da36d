"""What each registration of an operator has to hold, in the order in which a user meets its absence."""

import pytest
import torch
from exercise import smooth_max
from torch._subclasses import FakeTensorMode
from torch.autograd import gradcheck, gradgradcheck
from torch.library import opcheck


def numbers(*shape: int, **options) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    return torch.randn(shape, generator=generator, dtype=torch.double).to(**options)


def composed(a: torch.Tensor, b: torch.Tensor, eps: float = 1e-3) -> torch.Tensor:
    return (a + b + ((a - b).square() + eps * eps).sqrt()) / 2


def check(*args, **options) -> None:
    wrong = {
        test: error
        for test, error in opcheck(smooth_max, args, raise_exception=False, **options).items()
        if error != "SUCCESS"
    }
    assert not wrong


SHAPES = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((4,), (2, 3, 4)), ((), ())]


@pytest.mark.parametrize("one, other", SHAPES)
def test_what_is_promised_of_the_result_is_what_comes(one, other):
    check(numbers(*one), numbers(*other), test_utils="test_faketensor")


@pytest.mark.parametrize("shape", [(3,), ()])
def test_two_types_make_the_wider_one_and_one_stays(shape):
    a, b = numbers(3).float(), numbers(*shape)  # to NumPy a number without dimensions counts too
    check(a, b, test_utils="test_faketensor")
    check(b, a, test_utils="test_faketensor")
    check(a, a, test_utils="test_faketensor")


def test_the_result_is_promised_for_the_device_of_the_inputs():
    on_meta = numbers(3).to("meta")
    assert smooth_max(on_meta, on_meta).is_meta


def test_the_result_is_contiguous_whatever_the_inputs_are():
    a, b = numbers(4, 3).t(), numbers(4, 3).t()
    check(a, b, test_utils="test_faketensor")


@pytest.mark.parametrize("one, other", SHAPES)
def test_the_derivatives_also_of_what_was_broadcast(one, other):
    a, b = numbers(*one).requires_grad_(), numbers(*other).neg().requires_grad_()  # not equal
    assert gradcheck(smooth_max, (a, b, 0.5))
    assert gradgradcheck(smooth_max, (a, b, 0.5)), "are the tensors that backward reads inputs?"


def test_eps_reaches_the_derivative():
    a, b = torch.tensor([1.0], requires_grad=True), torch.tensor([-2.0])
    smooth_max(a, b, 4.0).backward()
    assert a.grad.tolist() == pytest.approx([0.8])


def test_a_write_to_an_input_before_backward_is_noticed():
    a, b = numbers(3).requires_grad_(), numbers(3)
    result = smooth_max(a, b).sum()
    b.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


def test_no_gradient_is_computed_that_nobody_asked_for():
    class Count(torch.utils._python_dispatch.TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.calls += (
                torch.Tag.pointwise in func.tags
            )  # arithmetic; that a leaf keeps its gradient is none
            return func(*args, **(kwargs or {}))

    def cost(*needed: bool) -> int:
        a, b = (numbers(3, 4).requires_grad_(need) for need in needed)
        result = smooth_max(a, b).sum()
        with Count() as count:
            result.backward()
        return count.calls

    assert cost(True, False) < cost(True, True) > cost(False, True), (
        "ctx.needs_input_grad says which are wanted"
    )


@pytest.mark.parametrize("one, other", SHAPES[:2])
def test_opcheck_with_gradients(one, other):
    check(numbers(*one).requires_grad_(), numbers(*other).requires_grad_())


def test_it_is_one_call_in_a_compiled_graph():
    with FakeTensorMode():
        smooth_max(torch.empty(3, 4), torch.empty(4))
    calls = []

    def backend(graph, _):
        calls.extend(node.target for node in graph.graph.nodes if node.op == "call_function")
        return graph

    torch.compile(smooth_max, backend=backend, fullgraph=True)(numbers(3, 4), numbers(4))
    assert calls == [torch.ops.book.smooth_max.default]


@pytest.mark.parametrize(
    "one, other, in_dims",
    [
        ((5, 3), (5, 3), (0, 0)),
        ((3, 5), (5, 3), (1, 0)),
        ((5, 3), (3,), (0, None)),
        ((5, 3), (5, 3), (None, 0)),
        ((2, 5), (4, 2, 5), (1, 2)),
        ((5,), (2, 3), (0, None)),  # two dimensions are missing
    ],
)
def test_vmap_wherever_the_batch_lies(one, other, in_dims):
    a, b = numbers(*one), numbers(*other).neg()
    expected = torch.vmap(composed, (*in_dims, None))(a, b, 0.5)
    seen = []

    class Seen(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    torch._C._functorch._set_vmap_fallback_enabled(False)  # which would do without a rule, slice by slice
    try:
        with Seen():
            result = torch.vmap(smooth_max, (*in_dims, None))(a, b, 0.5)
    finally:
        torch._C._functorch._set_vmap_fallback_enabled(True)
    torch.testing.assert_close(result, expected)
    assert seen.count(torch.ops.book.smooth_max.default) == 1, "one call of the kernel, for the whole batch"


def test_autocast_keeps_the_square_within_range():
    a, b = torch.tensor([300.0]).half(), torch.tensor([-300.0]).half()
    with torch.autocast("cpu", dtype=torch.float16):
        result = smooth_max(a, b)
    assert result.tolist() == [300.0], "600 squared is no half-precision number"
