"""What this article says of ranges, of what a module refuses, and of the sizes it takes, gone through."""

import importlib.util
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from torch import Tensor
from torch._dynamo.source import ConstantSource
from torch.export import Dim
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from declared import accepted, exported  # noqa: E402

specification = importlib.util.spec_from_file_location(
    "what_is_known", HERE / "exercises" / "what-is-known" / "solution.py"
)
what_is_known = importlib.util.module_from_spec(specification)
specification.loader.exec_module(what_is_known)

ASK = what_is_known.ASK | {"%": lambda size, number: size % (number + 1) == 0}


class Declared(NamedTuple):
    """A dimension as it was declared, and a function."""

    dim: Any
    function: Callable = lambda x: x + 1


def declared() -> dict[str, Declared]:
    """Named dimensions and hints, with a smallest size from 0 on and a greatest from 3 to 5."""
    bounds = [(low, high) for high in range(3, 6) for low in range(high)]
    named = {f"Dim{pair}": Declared(Dim("n", min=pair[0], max=pair[1])) for pair in bounds}
    for name, hint in ("DYNAMIC", Dim.DYNAMIC), ("AUTO", Dim.AUTO):
        named |= {f"{name}{pair}": Declared(hint(min=pair[0], max=pair[1])) for pair in bounds}
    return named


def asks() -> Declared:
    """A function that asks about the size."""
    return Declared(Dim.DYNAMIC(min=0, max=5), lambda x: x * 2 if x.shape[0] > 3 else x)


@counted(declared, planted=asks, minimum=36)
def bound_from_three_is_checked(one: Declared) -> bool:
    """The module refuses a size above the greatest, and one below the smallest if that is 3 or more."""
    low, high = one.dim.min, one.dim.max
    taken = [size for size in range(8) if size <= high and (size >= low or low <= 2)]
    return accepted(exported(one.function, one.dim, sample=high).module(), range(8)) == taken


class Case(NamedTuple):
    """A sample, the questions that are asked about it, and the smallest size that is compared."""

    sample: int
    questions: list
    first: int = 2


def questions(signs: list[str]) -> st.SearchStrategy:
    """Up to four questions about a sample from 2 on."""
    one = st.tuples(st.sampled_from(signs), st.integers(0, 9))
    return st.builds(Case, st.integers(2, 9), st.lists(one, min_size=1, max_size=4), st.just(2))


@counted(cases(questions(list(what_is_known.ASK)), count=300), planted=lambda: Case(1, []), minimum=300)
def questions_leave_an_interval(case: Case) -> bool:
    """After questions about one size the range is the interval that the exercise's solution computes."""
    env, source = ShapeEnv(), ConstantSource("size")
    symbol = env.create_symbol(case.sample, source, dynamic_dim=DimDynamic.DYNAMIC)
    size = env.create_symintnode(symbol, hint=case.sample, source=source)
    for sign, number in case.questions:
        bool(ASK[sign](size, number))
    if isinstance(size, int):
        return what_is_known.known(case.sample, case.questions) == (size, size)
    found = env.var_to_range[symbol]
    upper = math.inf if str(found.upper) == "int_oo" else int(found.upper)
    return what_is_known.known(case.sample, case.questions) == (int(found.lower), upper)


def branching(questions: list) -> Callable:
    """A function whose result tells how each question was answered."""

    def function(x: Tensor) -> Tensor:
        for sign, number in questions:
            x = x * 3 if ASK[sign](x.shape[0], number) else x + 1
        return x

    return function


@counted(cases(questions(list(ASK)), count=30), planted=lambda: Case(4, [("==", 1)], first=1), minimum=30)
def accepted_is_as_eager(case: Case) -> bool:
    """A size from 2 to 12 that the module takes gives what eager gives, and the sample is among them."""
    function = branching(case.questions)
    module = exported(function, Dim.AUTO, sample=case.sample).module()
    taken = accepted(module, range(case.first, 13))
    same = all(torch.equal(module(torch.ones(size)), function(torch.ones(size))) for size in taken)
    return same and case.sample in taken
