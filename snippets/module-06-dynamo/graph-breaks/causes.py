"""Common causes of a graph break, each with a cure: the same values in one graph."""

import copy
import datetime
import io
import json
import logging
import random
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import torch._dynamo as dynamo
from three_ways import compiled
from torch import Tensor
from torch._dynamo.utils import counters

log = logging.getLogger("causes")
log.addHandler(logging.NullHandler())


@dataclass
class Cause:
    """A function that breaks, one that does not, and what is to be set for the second."""

    broken: Callable
    cured: Callable
    cure: str
    settings: dict[str, Any] = field(default_factory=dict)


# region first
def item(x: Tensor) -> Tensor:
    return x.sin() * x.sum().item()


def item_as_tensor(x: Tensor) -> Tensor:
    return x.sin() * x.sum()


def branch(x: Tensor) -> Tensor:
    y = x.sin()
    if y.sum() > 0:
        return y.cos()
    return y.tan()


def branch_by_where(x: Tensor) -> Tensor:
    y = x.sin()
    return torch.where(y.sum() > 0, y.cos(), y.tan())


# endregion


def branch_by_cond(x: Tensor) -> Tensor:
    y = x.sin()
    return torch.cond(y.sum() > 0, torch.cos, torch.tan, (y,))


def asserted(x: Tensor) -> Tensor:
    y = x.sin()
    assert y.sum() > 0, f"{len(y)} rows"
    return y.cos()


def asserted_with_a_constant(x: Tensor) -> Tensor:
    y = x.sin()
    assert y.sum() > 0, "no rows"
    return y.cos()


def asserted_both(x: Tensor) -> Tensor:
    y = x.sin()
    assert y.sum() > 0 and y.sum() < 9, "no rows"
    return y.cos()


def asserted_twice(x: Tensor) -> Tensor:
    y = x.sin()
    assert y.sum() > 0, "no rows"
    assert y.sum() < 9, "no rows"
    return y.cos()


def printed(x: Tensor) -> Tensor:
    y = x.sin()
    print("rows")
    return y.cos()


def logged(x: Tensor) -> Tensor:
    y = x.sin()
    log.info("rows")
    return y.cos()


def warned(x: Tensor) -> Tensor:
    y = x.sin()
    warnings.warn("rows", stacklevel=1)
    return y.cos()


def timed(x: Tensor) -> Tensor:
    y = x.sin()
    time.perf_counter()
    return y.cos()


def dated(x: Tensor) -> Tensor:
    y = x.sin()
    datetime.datetime.now()
    return y.cos()


def plain(x: Tensor) -> Tensor:
    return x.sin().cos()


def selected(x: Tensor) -> Tensor:
    return x.sin()[x > 1] + 1


def allclose(x: Tensor) -> Tensor:
    y = x.sin()
    return y.abs() if torch.allclose(y, x) else y.cos()


def allclose_by_where(x: Tensor) -> Tensor:
    y = x.sin()
    return torch.where(torch.isclose(y, x).all(), y.abs(), y.cos())


def listed(x: Tensor) -> Tensor:
    return x.sin() + sum(x.tolist())


def listed_as_tensor(x: Tensor) -> Tensor:
    return x.sin() + x.sum()


def by_numpy(x: Tensor) -> Tensor:
    y = np.interp(x.sin().numpy(), [0.0, 1.0], [0.0, 2.0]).astype(np.float32)
    return torch.from_numpy(y).cos()


def by_torch(x: Tensor) -> Tensor:
    return (x.sin().clamp(0, 1) * 2).cos()


def copied(x: Tensor) -> Tensor:
    y = x.sin()
    return copy.deepcopy(y).cos()


def cloned(x: Tensor) -> Tensor:
    return x.sin().clone().cos()


def serialised(x: Tensor) -> Tensor:
    y = x.sin()
    json.dumps({"rows": 1})
    return y.cos()


def saved(x: Tensor) -> Tensor:
    y = x.sin()
    torch.save(y, io.BytesIO())
    return y.cos()


def seeded(x: Tensor) -> Tensor:
    y = x.sin()
    torch.manual_seed(0)
    return y + torch.rand(2)


def seeded_before(x: Tensor) -> Tensor:
    return x.sin() + torch.rand(2)


def shuffled(x: Tensor) -> Tensor:
    order = [0, 1]
    y = x.sin()
    random.shuffle(order)
    return y[sorted(order)].cos()


def parameter(x: Tensor) -> Tensor:
    y = x.sin()
    return (torch.nn.Parameter(torch.ones(2)) * y).detach()


def no_parameter(x: Tensor) -> Tensor:
    return torch.ones(2) * x.sin()


def data_assigned(x: Tensor) -> Tensor:
    y = x.sin()
    y.data = x
    return y.cos()


def data_copied(x: Tensor) -> Tensor:
    y = x.sin()
    y.copy_(x)
    return y.cos()


@torch.compiler.disable
def left_alone(y: Tensor) -> Tensor:
    return y.abs()


def disabled(x: Tensor) -> Tensor:
    return left_alone(x.sin()).cos()


def not_disabled(x: Tensor) -> Tensor:
    return x.sin().abs().cos()


# region causes
scalars = {"capture_scalar_outputs": True}
shapes = {"capture_dynamic_output_shape_ops": True}
CAUSES = {
    "item()": Cause(item, item_as_tensor, "stay a tensor"),
    "item(), captured": Cause(item, item, "capture_scalar_outputs", scalars),
    "if tensor": Cause(branch, branch_by_where, "torch.where"),
    "if tensor, cond": Cause(branch, branch_by_cond, "torch.cond"),
    "assert, f-string": Cause(asserted, asserted_with_a_constant, "a constant message"),
    "assert, and": Cause(asserted_both, asserted_twice, "two asserts"),
    "x[x > 1]": Cause(selected, selected, "capture_dynamic_output_shape_ops", shapes),
    "allclose": Cause(allclose, allclose_by_where, "isclose, where"),
    "tolist": Cause(listed, listed_as_tensor, "stay a tensor"),
    "np.interp": Cause(by_numpy, by_torch, "torch's functions"),
    "print": Cause(
        printed, printed, "reorderable_logging_functions", {"reorderable_logging_functions": {print}}
    ),
    "logger.info": Cause(
        logged, logged, "ignore_logging_functions", {"ignore_logging_functions": {logging.Logger.info}}
    ),
    "warnings.warn": Cause(
        warned, warned, "ignore_logging_functions", {"ignore_logging_functions": {warnings.warn}}
    ),
    "perf_counter": Cause(timed, plain, "time it outside"),
    "datetime.now": Cause(dated, plain, "time it outside"),
    "deepcopy": Cause(copied, cloned, "clone"),
    "json.dumps": Cause(serialised, plain, "write outside"),
    "torch.save": Cause(saved, plain, "save outside"),
    "manual_seed": Cause(seeded, seeded_before, "seed outside"),
    "random.shuffle": Cause(shuffled, plain, "shuffle outside"),
    "nn.Parameter": Cause(parameter, no_parameter, "make it outside"),
    ".data =": Cause(data_assigned, data_copied, "copy_"),
    "a disabled function": Cause(disabled, not_disabled, "not to disable"),
}
# endregion


def graphs_and_kinds(function: Callable, **settings: Any) -> tuple[Tensor, int, list[str]]:
    """The result of one compiled call, how many graphs it left, and the first lines of the messages."""
    counters.clear()
    torch.manual_seed(0)
    with dynamo.config.patch(**settings), warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        result, graphs = compiled(function, torch.tensor([1.0, 2.0], device="cpu"))
    messages = [*counters["graph_break"], *counters["unimplemented"]]
    return result, len(graphs), [message.splitlines()[0] for message in messages]


if __name__ == "__main__":
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    for name, cause in CAUSES.items():
        broken, count, kinds = graphs_and_kinds(cause.broken)
        cured, count_cured, _ = graphs_and_kinds(cause.cured, **cause.settings)
        print(f"{name:19} {count} -> {count_cured}, same: {torch.equal(broken, cured)}; {cause.cure}")
        print(f"    {'; '.join(kinds)}")
