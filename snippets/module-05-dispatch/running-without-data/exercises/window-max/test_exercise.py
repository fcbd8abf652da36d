"""The fake kernel of book::window_max against the real one."""

import random

import pytest
import torch
from exercise import window_max
from torch._subclasses.fake_tensor import FakeTensorMode
from torch._subclasses.fake_utils import CrossRefFakeMode
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext


def calls(ceil_mode: bool):
    """Two hundred calls that the real kernel accepts."""
    chance = random.Random(5)
    for _ in range(200):
        size = chance.randint(1, 5)
        padding = chance.randint(0, size // 2)
        length = chance.randint(max(1, size - 2 * padding), 12)
        x = torch.ones(chance.randint(1, 3), chance.randint(1, 3), length)
        yield x, size, chance.randint(1, 6), padding, ceil_mode


def test_an_example():
    with torch.device("meta"):
        values, indices = window_max(torch.empty(2, 3, 10), 4, 2)
    assert values.shape == indices.shape == (2, 3, 4)
    assert (values.dtype, indices.dtype) == (torch.float32, torch.int64)
    with FakeTensorMode():
        values, indices = window_max(torch.empty(2, 3, 10, device="xpu:0"), 4, 2)
    assert values.device == indices.device == torch.device("xpu:0"), "the results are where x is"


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_random_shapes_agree_with_the_kernel(ceil_mode):
    for arguments in calls(ceil_mode):
        try:
            with CrossRefFakeMode():
                window_max(*arguments)
        except Exception as error:
            x, *rest = arguments
            pytest.fail(f"window_max of {tuple(x.shape)}, {rest}: {error}", pytrace=False)


def test_strides_and_dtype_are_the_kernels():
    across = torch.ones(2, 8, 3, dtype=torch.float64).transpose(1, 2)  # not contiguous
    with CrossRefFakeMode(check_strides=True):
        window_max(across, 2, 2)


@pytest.mark.parametrize("arguments", [(5, 1, 0), (2, 1, 2)], ids=["window too long", "too much padding"])
def test_what_the_kernel_refuses_is_refused(arguments):
    x = torch.ones(1, 1, 4)
    with pytest.raises((RuntimeError, ValueError)):
        window_max(x, *arguments)
    with pytest.raises((RuntimeError, ValueError)) as refusal, FakeTensorMode() as mode:
        window_max(mode.from_tensor(x), *arguments)
    assert refusal.type is not NotImplementedError, "the hole is a RuntimeError, too: it refuses everything"


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize("window", [(3, 2, 1), (2, 3, 0)], ids=str)  # the second skips data between windows
def test_one_run_serves_every_length(window, ceil_mode):
    mode = FakeTensorMode(shape_env=ShapeEnv())
    kinds = [DimDynamic.STATIC, DimDynamic.STATIC, DimDynamic.DYNAMIC]
    x = mode.from_tensor(torch.ones(1, 2, 9), symbolic_context=StatelessSymbolicContext(dynamic_sizes=kinds))
    with mode:
        values, _ = window_max(x, *window, ceil_mode)
    symbol, length = x.shape[2].node.expr, values.shape[2].node.expr
    for actual in range(4, 12):
        windows = window_max(torch.ones(1, 2, actual), *window, ceil_mode)[0].shape[2]
        assert length.subs(symbol, actual) == windows, (
            f"from the run with a length of 9: {length}, which is wrong for {symbol} = {actual}"
        )
