"""What this article says of all operators and options, counted."""

from inspect import signature
from itertools import combinations
from typing import Any

import numpy
import torch
from inside_torch.claims import counted, has_kernel, optimizers, overloads
from torch import Tensor, nn

OPTIONS: dict[str, Any] = {
    "weight_decay": 0.1,
    "decoupled_weight_decay": True,
    "amsgrad": True,
    "maximize": True,
    "betas": (0.5, 0.9),
}
LOOP, FOREACH, FUSED = {"foreach": False}, {"foreach": True}, {"fused": True}


def foreach_operators() -> list[str]:
    """The overloads of the operators on lists of tensors."""
    return [name for name in overloads() if name.startswith("_foreach_")]


@counted(foreach_operators, planted="add.Tensor", minimum=200)
def no_foreach_kernel_for_the_cpu(name: str) -> bool:
    """An operator whose name begins with `_foreach_` has no kernel for the CPU, and one for any backend."""
    return not has_kernel(f"aten::{name}", "CPU") and has_kernel(f"aten::{name}", "CompositeExplicitAutograd")


def lists_of_a_step() -> list[str]:
    """The operators on lists that steps of Adam by foreach call, with each of the options above."""
    found = set()
    for name in [None, *OPTIONS]:
        weight = nn.Parameter(torch.ones(3, device="cpu"))
        weight.grad = torch.ones(3, device="cpu")
        options = {name: OPTIONS[name]} if name else {}
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            torch.optim.Adam([weight], **FOREACH, **options).step()
        found |= {each.name.removeprefix("aten::") for each in profile.events() if "::_foreach_" in each.name}
    return sorted(found)


@counted(lists_of_a_step, planted="_foreach_zero", minimum=10)
def adam_lists_are_loops(name: str) -> bool:
    """On the CPU, an operator on three tensors calls, three times, the operator named without `_foreach_`."""
    operator, single = getattr(torch.ops.aten, name), name.removeprefix("_foreach_")
    lists = {"lerp_": 2, "maximum_": 2, "addcmul_": 3, "addcdiv_": 3}.get(single, 1)
    scalar = [] if single in ("sqrt", "zero", "neg", "maximum_") else [0.5]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        operator(*[[torch.ones(3, device="cpu") for _ in range(3)] for _ in range(lists)], *scalar)
    (outer,) = [each for each in profile.events() if each.name == f"aten::{name}"]
    return [each.name for each in outer.cpu_children] == [f"aten::{single}"] * 3


def choices() -> dict[str, tuple[dict[str, Any], torch.dtype]]:
    """Each set of the options above, in two precisions."""
    found = {}
    for count in range(len(OPTIONS) + 1):
        for chosen in combinations(OPTIONS, count):
            for dtype in torch.float32, torch.float64:
                name = " ".join((str(dtype).removeprefix("torch."), *chosen))
                found[name] = ({option: OPTIONS[option] for option in chosen}, dtype)
    return found


def exact_root(tensor: Tensor) -> Tensor:
    """NumPy's root, which is rounded correctly."""
    return torch.from_numpy(numpy.sqrt(tensor.numpy()))


def after_three_steps(
    kind: type, options: dict[str, Any], dtype: torch.dtype, size: int = 256, exact: bool = False
) -> list[Tensor]:
    """The parameter and its state after three steps with the same random gradients."""
    root, generator = torch.Tensor.sqrt, torch.Generator("cpu").manual_seed(0)

    def random() -> Tensor:
        return torch.randn(size, dtype=dtype, generator=generator, device="cpu")

    weight = nn.Parameter(random() / 1000)
    optimizer = kind([weight], **options)
    if exact:
        torch.Tensor.sqrt = exact_root
    try:
        for _ in range(3):
            weight.grad = random()
            optimizer.step()
    finally:
        torch.Tensor.sqrt = root
    return [weight.detach(), *(each for each in optimizer.state[weight].values() if isinstance(each, Tensor))]


def same(one: list[Tensor], other: list[Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@counted(choices, planted=lambda: ({"lr": torch.tensor(0.001)}, torch.float64), minimum=60)
def adam_foreach_is_the_loop(case: tuple[dict[str, Any], torch.dtype]) -> bool:
    """Three steps of Adam by foreach leave the bits that three steps of the loop leave."""
    options, dtype = case
    loop = after_three_steps(torch.optim.Adam, {**options, **LOOP}, dtype)
    if "lr" in options:  # the planted case: half of the steps' length
        options = {**options, "lr": 0.0005}
    return same(loop, after_three_steps(torch.optim.Adam, {**options, **FOREACH}, dtype))


@counted(choices, planted=lambda: ({"eps": 0.1}, torch.float64), minimum=60)
def adam_fused_is_the_loop_with_exact_roots(case: tuple[dict[str, Any], torch.dtype]) -> bool:
    """Three steps of fused Adam, of 256 elements, leave the bits of a loop with correctly rounded roots."""
    options, dtype = case
    loop = after_three_steps(torch.optim.Adam, {**options, **LOOP}, dtype, exact=True)
    if "eps" in options:  # the planted case: another eps
        options = {}
    return same(loop, after_three_steps(torch.optim.Adam, {**options, **FUSED}, dtype))


def with_foreach() -> dict[str, type]:
    """The optimizers that take `foreach`."""
    return {name: kind for name, kind in optimizers().items() if "foreach" in signature(kind).parameters}


@counted(with_foreach, planted=lambda: torch.optim.ASGD)
def foreach_is_the_loop(kind: type) -> bool:
    """With its defaults, an optimizer leaves the same bits after three steps by foreach and by the loop."""
    loop, foreach = (after_three_steps(kind, way, torch.float32) for way in (LOOP, FOREACH))
    return same(loop, foreach)
