"""The claims of the article, counted."""

import random
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from unittest import mock

import torch
from inside_torch.claims import counted
from torch import Tensor
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.choices import InductorChoices
from torch._inductor.codecache import FxGraphCache

sys.path.insert(0, str(Path(__file__).parent))
from written import Written, written

UNARY = "{}.sin()", "{}.exp()", "{}.relu()", "{}.sigmoid()", "{}.abs()", "({} * 2)", "(1 - {})"
BINARY = "({} + {})", "({} * {})", "({} - {})", "torch.maximum({}, {})"


def text(seed: int, names: str) -> str:
    """A function of two tensors: eight operations, drawn from pointwise ones, with these names."""
    draw = random.Random(seed)
    known, lines = list(names[:2]), []
    for name in names[2:]:
        form = draw.choice(UNARY + BINARY)
        lines.append(f"    {name} = {form.format(*draw.choices(known, k=form.count('{}')))}\n")
        known.append(name)
    sums = " + ".join(known[2:])
    return f"def function({names[0]}, {names[1]}):\n{''.join(lines)}    return {sums}\n"


def function(source: str) -> Callable[[Tensor, Tensor], Tensor]:
    """What that text defines."""
    space = {"torch": torch}
    exec(compile(source, f"drawn {hash(source)}", "exec"), space)
    return space["function"]


def inputs() -> tuple[Tensor, Tensor]:
    """Two matrices of a size that no number of lanes divides."""
    return torch.rand(7, 11), torch.rand(7, 11)


@cache
def drawn(seed: int) -> Written:
    """What is written for the function of that number."""
    return written(function(text(seed, "xyabcdefgh")), *inputs())


class Known(BaseException):
    """The key is known. No compiler on the way takes this for an error of its own."""


def key(function: Callable, *args: Tensor) -> str:
    """The key of what `written` would write: the compiler is left before it writes anything."""
    prepare_key = FxGraphCache.prepare_key

    def prepared(*given: object) -> None:
        (made, _), _ = prepare_key(*given)
        raise Known(made)

    with mock.patch.object(FxGraphCache, "prepare_key", prepared):
        try:
            return written(function, *args).key
        except Known as known:
            return known.args[0]


SEEDS = {str(seed): seed for seed in range(20)}


@counted(lambda: SEEDS, planted=lambda: written(torch.matmul, torch.rand(4, 4), torch.rand(4, 4)), minimum=20)
def one_kernel(seed: int | Written) -> bool:
    """A drawn function of pointwise operations becomes one kernel, and nothing else is called."""
    found = drawn(seed) if isinstance(seed, int) else seed
    return len(found.kernels) == 1 and "extern_kernels." not in found.call


def repeats(kernel: str) -> bool:
    """Whether two lines of one block have the same right-hand side."""
    for block in re.split(r"[{}]", kernel):
        sides = re.findall(r"auto tmp\d+ = (.*);", block)
        if len(sides) != len(set(sides)):
            return True
    return False


@counted(lambda: SEEDS, planted=lambda: "{ auto tmp0 = in[x0]; \n auto tmp1 = in[x0]; }", minimum=20)
def no_text_twice(seed: int | str) -> bool:
    """In a kernel of a drawn function no two lines of one block have the same right-hand side."""
    return not repeats(seed if isinstance(seed, str) else drawn(seed).kernels[0])


@counted(lambda: SEEDS, planted=lambda: "exchanged", minimum=20)
def names_are_not_in_the_key(seed: int | str) -> bool:
    """A drawn function and the same one with other names have one key."""
    if isinstance(seed, str):
        one, other = (key(each, *inputs()) for each in (lambda x, y: x * 2 + y, lambda x, y: y + x * 2))
        return one == other
    return drawn(seed).key == key(function(text(seed, "uvklmnopqr")), *inputs())


def other_inputs() -> dict[str, Tensor]:
    """Tensors that differ from a plain one in one respect."""
    x = torch.ones(8, 8)
    return {
        "size": torch.ones(8, 9),
        "number of dimensions": torch.ones(64),
        "strides": x.t().contiguous().t(),
        "dtype": x.double(),
        "device": x.to("meta"),
    }


@cache
def key_of(function: Callable, x: Tensor) -> str:
    """For one input."""
    return key(function, x)


@counted(other_inputs, planted=lambda: torch.zeros(9, 8)[1:], minimum=5)
def described_in_the_key(x: Tensor) -> bool:
    """A tensor that differs from another in size, strides, dtype or device has another key."""
    return key_of(torch.sin, x) != key_of(torch.sin, torch.ones(8, 8))


def settings() -> list[str]:
    """Settings of Inductor that a list does not leave out of the key; of one it has only the name."""
    ignored = (*config._cache_config_ignore_prefix, "force_disable_caches")
    return [name for name in config._config if not name.startswith(ignored)]


def kept() -> dict[str, object]:
    """The settings as the key has them."""
    return config.save_config_portable(ignore_private_configs=False)


AS_IT_IS = kept()


@counted(settings, planted="compile_threads", minimum=500)
def setting_in_the_key(name: str) -> bool:
    """A setting of Inductor that the list does not name is in the key."""
    value = (
        type("Other", (InductorChoices,), {"uuid": lambda self: "other"})
        if name == "inductor_choices_class"
        else "another"
    )
    with config.patch({name: value}):
        return kept() != AS_IT_IS


HOOKS = (
    "joint_custom_pre_pass",
    "joint_custom_post_pass",
    "post_grad_custom_pre_pass",
    "post_grad_custom_post_pass",
)


@counted(lambda: {hook: hook for hook in HOOKS}, planted="pre_grad_custom_pass", minimum=4)
def plain_pass(hook: str) -> bool:
    """With a plain function in this hook the cache of graphs is bypassed."""
    counters.clear()
    with suppress(ValueError):  # no key was made
        written(torch.sin, torch.rand(8), **{hook: lambda graph: None})
    return counters["inductor"]["fxgraph_cache_bypass"] == 1
