"""What a custom function has to hold, from its values to its composition with torch.func."""

import pytest
import torch
from exercise import Softplus
from torch.autograd import gradcheck, gradgradcheck

POINTS = [-30.0, -2.0, -0.5, 0.0, 0.5, 2.0, 30.0]


def points(**options) -> torch.Tensor:
    return torch.tensor(POINTS, dtype=torch.double, **options)


def test_the_values_are_those_of_the_formula():
    torch.testing.assert_close(Softplus.apply(points()), torch.log(1 + torch.exp(points())))


def test_the_values_are_right_where_the_formula_is_not():
    far = torch.tensor([-1000.0, -700.0, -50.0, 21.0, 30.0, 1000.0], dtype=torch.double)
    right = [0.0, 9.85967654375977e-305, 1.9287498479639178e-22, 21.000000000758256, 30.000000000000092, 1e3]
    expected = torch.tensor(right, dtype=torch.double)
    torch.testing.assert_close(Softplus.apply(far), expected, rtol=1e-15, atol=0.0)


def test_gradcheck():
    assert gradcheck(Softplus.apply, points(requires_grad=True))


def test_the_gradient_far_out_is_no_nan():
    x = torch.tensor([-1000.0, 1000.0], requires_grad=True)
    y = Softplus.apply(x)
    assert y.dtype == x.dtype
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_a_second_derivative_is_the_derivative_of_the_first():
    assert gradgradcheck(Softplus.apply, points(requires_grad=True)), "did backward use a constant?"


def test_forward_mode():
    assert gradcheck(Softplus.apply, points(requires_grad=True), check_forward_ad=True)


def test_forward_mode_and_the_second_derivative_far_out_are_no_nan():
    x = torch.tensor([-1000.0, 1000.0], requires_grad=True)
    _, tangent = torch.func.jvp(Softplus.apply, (x.detach(),), (torch.ones(2),))
    assert tangent.tolist() == [0.0, 1.0]
    (grad,) = torch.autograd.grad(Softplus.apply(x).sum(), x, create_graph=True)
    assert torch.autograd.grad(grad.sum(), x)[0].tolist() == [0.0, 0.0]


def test_one_tensor_is_kept_and_it_is_the_input():
    x = points(requires_grad=True)
    node = Softplus.apply(x).grad_fn
    assert [saved is x for saved in node.saved_tensors] == [True], "this asks for the input, and nothing else"
    on_ctx = torch.utils._pytree.tree_leaves(vars(node))
    assert not any(isinstance(value, torch.Tensor) for value in on_ctx), "ctx keeps another one"


def test_a_changed_input_is_noticed():
    x = points(requires_grad=True)
    y = Softplus.apply(x).sum()
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_vmap_and_gradients_for_each_sample():
    x = points()
    expected = Softplus.apply(x)
    torch.testing.assert_close(torch.vmap(Softplus.apply)(x), expected)
    columns = torch.stack([x, -x], dim=1)
    torch.testing.assert_close(torch.vmap(Softplus.apply, in_dims=1)(columns), Softplus.apply(columns).t())
    torch.testing.assert_close(torch.vmap(torch.func.grad(Softplus.apply))(x), x.sigmoid())
    far = torch.tensor([-1000.0, 1000.0])
    assert torch.vmap(Softplus.apply)(far).tolist() == [0.0, 1000.0]
    around = torch.func.grad(lambda x: torch.vmap(Softplus.apply)(x).sum())(x)
    torch.testing.assert_close(around, x.sigmoid(), msg="does a vmap of yours pass your backward by?")


def test_a_hessian():
    def loss(x: torch.Tensor) -> torch.Tensor:
        return Softplus.apply(x).square().sum()

    twice_in_reverse = torch.autograd.functional.hessian(loss, points())
    torch.testing.assert_close(torch.func.hessian(loss)(points()), twice_in_reverse)
    reverse_over_forward = torch.func.jacrev(torch.func.jacfwd(loss))(points())
    torch.testing.assert_close(reverse_over_forward, twice_in_reverse, msg="did jvp use a constant?")
