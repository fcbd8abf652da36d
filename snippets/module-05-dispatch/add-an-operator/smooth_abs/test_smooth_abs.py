"""What book::smooth_abs has to hold, on every device that there is: ``pytest`` in this folder."""

import pytest
import torch
from smooth_abs import smooth_abs
from torch import Tensor

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.t(),
    "with holes": lambda x: x[:, ::3],
    "expanded": lambda x: x[:, :1].expand(-1, 5),
    "one number": lambda x: x[0, 0],
    "empty": lambda x: x[:0],
}


def composed(x: Tensor, eps: float = 1e-3) -> Tensor:
    return (x.square() + eps * eps).sqrt()


@pytest.fixture(params=DEVICES)
def x(request) -> Tensor:
    torch.manual_seed(0)
    return torch.randn(6, 9, device=request.param)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_values_are_those_of_the_formula_in_every_layout(x, layout, dtype):
    view = LAYOUTS[layout](x.to(dtype))
    torch.testing.assert_close(smooth_abs(view), composed(view))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_meta_says_the_shape_and_strides_that_the_kernel_makes(x, layout):
    view = LAYOUTS[layout](x)
    promised = smooth_abs(torch.empty_strided(view.shape, view.stride(), device="meta"))
    made = smooth_abs(view)
    assert (promised.shape, promised.stride(), promised.dtype) == (made.shape, made.stride(), made.dtype)


def test_more_elements_than_one_launch_has_threads(x):
    many = torch.linspace(-5, 5, 3_000_001, device=x.device)
    torch.testing.assert_close(smooth_abs(many), composed(many))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_opcheck(x, layout):
    torch.library.opcheck(smooth_abs, (LAYOUTS[layout](x).detach().requires_grad_(), 0.5))


def test_the_derivatives(x):
    points = x[:2, :3].double().requires_grad_()
    assert torch.autograd.gradcheck(smooth_abs, (points, 0.5))
    assert torch.autograd.gradgradcheck(smooth_abs, (points, 0.5))


def test_the_slope_at_zero_is_zero(x):
    zero = torch.zeros(2, device=x.device, requires_grad=True)
    smooth_abs(zero).sum().backward()
    assert zero.grad.tolist() == [0.0, 0.0]


def test_an_eps_is_refused_whose_square_is_no_number_of_the_type(x):
    zero = torch.zeros(2, device=x.device, dtype=torch.double, requires_grad=True)
    smooth_abs(zero, 1e-30).sum().backward()
    assert zero.grad.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="its square"):
        smooth_abs(zero.float(), 1e-30)  # 1e-60 is 0 in single precision, and the slope would be 0 / 0


def test_autocast_computes_in_single_precision(x):
    half = torch.tensor([300.0, -300.0], device=x.device).half()
    with torch.autocast(x.device.type, dtype=torch.float16):
        y = smooth_abs(half)
    assert y.dtype == torch.float32 and y.isfinite().all(), "300 squared is no half-precision number"


@pytest.mark.parametrize("in_dim", [0, 1])
def test_vmap(x, in_dim):
    batched = torch.vmap(smooth_abs, in_dims=in_dim, out_dims=in_dim)
    torch.testing.assert_close(batched(x), composed(x))
    x.requires_grad_()
    gradients = [torch.autograd.grad(function(x).sum(), x) for function in (batched, composed)]
    torch.testing.assert_close(*gradients)


def test_torch_func_through_a_function_around_the_operator(x):
    class Wrapped(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, eps):
            return smooth_abs(x, eps)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], output)

        @staticmethod
        def backward(ctx, grad):
            x, out = ctx.saved_tensors
            return grad * x / out, None

    found = torch.vmap(torch.func.grad(lambda row: Wrapped.apply(row, 0.5).sum()))(x)
    torch.testing.assert_close(found, x / composed(x, 0.5))


def test_bad_arguments_are_refused(x):
    with pytest.raises(RuntimeError, match="eps must be positive"):
        smooth_abs(x, 0.0)
    with pytest.raises(RuntimeError, match="must be floating point"):
        smooth_abs(x.int())
