"""Each function here hides a broadcast, or none; what is expected follows from the shapes."""

import linecache
import os

import torch
from exercise import broadcasts

column, row, vector = torch.ones(3, 1), torch.ones(1, 4), torch.ones(3)


def residual(prediction, target):
    return ((prediction - target) ** 2).mean()


def gate(condition, x, y):
    return torch.where(condition, x, y)


def update(state, step):
    state += step
    return state


def test_equal_shapes_are_none():
    assert broadcasts(residual, vector, vector) == []


def test_numbers_and_scalars_do_not_count():
    assert broadcasts(lambda x: x * 2 + torch.tensor(1.0), vector) == []
    (found,) = broadcasts(gate, column > 0, row, torch.tensor(1.0))
    assert found.shapes == ((3, 1), (1, 4))


def test_one_element_in_one_dimension_is_stretched():
    (found,) = broadcasts(lambda x: x * torch.nn.Parameter(torch.ones(1)), vector)
    assert found.shapes == ((3,), (1,))
    assert len(broadcasts(lambda x: (x * torch.ones(1), x * torch.ones(1)), vector)) == 2


def test_a_missing_dimension_is_stretched():
    (found,) = broadcasts(lambda x: x + torch.ones(2), torch.zeros(2, 2))
    assert found.shapes == ((2, 2), (2,))


def test_the_classic_column_minus_vector():
    (found,) = broadcasts(residual, column, vector)
    assert found.operator == "aten.sub.Tensor"
    assert found.shapes == ((3, 1), (3,))
    assert found.line == "return ((prediction - target) ** 2).mean()"


def test_three_operands():
    (found,) = broadcasts(gate, column > 0, row, row)
    assert found.operator == "aten.where.self"
    assert found.shapes == ((3, 1), (1, 4), (1, 4))
    first, second = broadcasts(lambda: (gate(row > 0, row, column), gate(row > 0, column, row)))
    assert first.shapes == ((1, 4), (1, 4), (3, 1))
    assert second.shapes == ((1, 4), (3, 1), (1, 4))
    assert first.line == second.line == "return torch.where(condition, x, y)"


def test_in_place():
    (found,) = broadcasts(update, torch.zeros(3, 4), row)
    assert found.operator == "aten.add_.Tensor"
    assert found.line == "state += step"


def test_out_is_no_operand():
    assert broadcasts(lambda: torch.add(vector, vector, out=torch.empty(0))) == []
    halves = torch.empty(0), torch.empty(0, dtype=torch.int32)  # outputs, by names of their own
    assert broadcasts(lambda: torch.frexp(column, out=halves)) == []
    (found,) = broadcasts(lambda: torch.add(input=column, other=row, out=torch.empty(0)))
    assert found.operator == "aten.add.out"
    assert found.shapes == ((3, 1), (1, 4))


def test_a_matrix_product_is_not_pointwise():
    assert broadcasts(torch.matmul, torch.ones(2, 3), vector) == []


def test_the_line_is_the_callers_even_when_torch_calls_the_operator():
    def through_a_module(x):
        return torch.nn.Threshold(0.5, 0.0)(x) * torch.nn.PReLU(init=0.25)(x) + torch.nn.Softsign()(vector)

    (found,) = broadcasts(through_a_module, column)
    assert found.operator == "aten.add.Tensor"
    assert found.line.startswith("return torch.nn.Threshold")


def test_a_broadcast_inside_torch_is_laid_at_its_callers_door():
    prediction, variance = torch.ones(3, 2), torch.ones(3, 1)

    def loss():
        return torch.nn.functional.gaussian_nll_loss(prediction, prediction, variance)

    lines = {broadcast.line for broadcast in broadcasts(loss)}
    assert lines == {"return torch.nn.functional.gaussian_nll_loss(prediction, prediction, variance)"}


def test_neither_a_folder_called_torch_nor_torchvision_is_torch():
    for folder in ("/elsewhere/site-packages/torch", f"{os.path.dirname(torch.__file__)}vision"):
        text, file, module = "def shift(x, y):\n    return x - y\n", f"{folder}/model.py", {}
        linecache.cache[file] = len(text), None, text.splitlines(), file  # where a traceback finds its lines
        exec(compile(text, file, "exec"), module)
        (found,) = broadcasts(module["shift"], column, row)
        assert found.line == "return x - y"


def test_the_result_is_the_functions_own():
    seen = []
    broadcasts(lambda: seen.append(update(torch.zeros(2, 2), torch.ones(2))))
    assert seen[0].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    broadcasts(lambda: seen.append(torch.add(seen[0], torch.ones(2), alpha=2)))
    assert seen[1].tolist() == [[3.0, 3.0], [3.0, 3.0]]
