"""The claims of the article, each about every member of a class."""

import contextlib
import io
import re
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).parent))
from account import Layer, Run, peak_of
from plans import peak, plans, told

#: Layers that a drawn net is made of, and whether their backward asks for their output.
SHAPED_AS_GIVEN = {
    nn.GELU: False,
    nn.SiLU: False,
    nn.Softplus: False,
    nn.ELU: False,
    nn.ReLU: True,
    nn.Tanh: True,
    nn.Sigmoid: True,
}


class Net(NamedTuple):
    """A net that was drawn: a number is a linear layer of that width, a name another layer; and its plan."""

    rows: int
    width: int
    layers: tuple[int | str, ...]
    plan: tuple[Run, ...]


@st.composite
def nets(draw: st.DrawFn) -> Net:
    widths = st.integers(1, 300)
    layers = [draw(widths)]  # nothing before the first weight has a gradient
    layers += draw(
        st.lists(widths | st.sampled_from([kind.__name__ for kind in SHAPED_AS_GIVEN]), max_size=9)
    )
    plan: list[Run] = []
    while left := len(layers) - sum(run.layers for run in plan):
        plan.append(Run(draw(st.integers(1, left)), draw(st.booleans())))
    return Net(draw(st.integers(1, 300)), draw(widths), tuple(layers), tuple(plan))


def chain_of(net: Net) -> list[Layer]:
    chain, width = [], net.width
    for layer in net.layers:
        if isinstance(layer, int):
            chain.append(Layer(4 * net.rows * layer, 4 * width * layer))
            width = layer
        else:
            chain.append(
                Layer(4 * net.rows * width, keeps_output=SHAPED_AS_GIVEN.get(getattr(nn, layer), False))
            )
    return chain


def module_of(net: Net) -> nn.Sequential:
    module, width = nn.Sequential(), net.width
    for layer in net.layers:
        if isinstance(layer, int):
            module.append(nn.Linear(width, layer, bias=False, device="cuda"))
            width = layer
        else:
            module.append(getattr(nn, layer)())
    return module


def forward(module: nn.Sequential, plan: tuple[Run, ...], value: Tensor) -> Tensor:
    first = 0
    for run in plan:
        part, first = module[first : first + run.layers], first + run.layers
        value = checkpoint(part, value, use_reentrant=False) if run.checkpointed else part(value)
    return value


@cache
def warm() -> None:
    """Have cuBLAS take its workspaces, of the caller's thread and of the device's."""
    weight = torch.zeros(2, 2, device="cuda", requires_grad=True)
    (weight @ weight).backward(torch.zeros(2, 2, device="cuda"))


@counted(
    cases(nets(), count=200),
    planted=lambda: Net(64, 64, (64, "Dropout", 64, 64), (Run(4, False),)),
    build="dry",
)
def account_is_the_allocators(net: Net) -> bool:
    """The account's peak is the most that tensors had asked the allocator for in a forward and a backward."""
    warm()
    module = module_of(net)
    # What was asked for, without what the allocator rounds it up to.
    batch = torch.zeros(net.rows, net.width, device="cuda")
    with torch.no_grad():
        gradient = torch.zeros_like(module(batch))
    before = torch.cuda.memory_stats()["requested_bytes.all.current"]
    torch.cuda.reset_peak_memory_stats()
    forward(module, net.plan, batch).backward(gradient)
    return torch.cuda.memory_stats()["requested_bytes.all.peak"] - before == peak_of(chain_of(net), net.plan)


def actions_of_the_header() -> list[str]:
    """The names that the header's table gives to actions."""
    header = Path(torch.__file__).parent / "include" / "c10" / "core" / "CachingDeviceAllocator.h"
    return re.findall(r'\{"(\w+)", TraceEntry::Action::\w+\}', header.read_text())


@cache
def seen() -> set[str]:
    from actions import Story, main

    stories: list[Story] = []
    begin = Story.__init__

    def noted(story: Story, **options) -> None:
        begin(story, **options)
        stories.append(story)

    Story.__init__ = noted
    with contextlib.redirect_stdout(io.StringIO()):
        main()
    return {action for story in stories for action in story.seen}


@counted(actions_of_the_header, planted="segment_split", build="dry")
def each_action_is_seen(action: str) -> bool:
    """The trace of the program that prints its actions has each action of the header's table."""
    return action in seen()


@counted(
    actions_of_the_header,
    planted="segment_split",
    exceptions="the list in the documentation has no expandable segments",
)
def each_action_is_documented(action: str) -> bool:
    """The documentation of `_record_memory_history` lists each action of the header's table."""
    return f'`"{action}"`' in str(torch.cuda.memory._record_memory_history.__doc__)


def without(plan: tuple[Run, ...], index: int) -> tuple[Run, ...]:
    """The plan with no checkpoint around one of its runs."""
    changed = list(plan)
    changed[index] = Run(plan[index].layers, False)
    return tuple(changed)


def checkpointed_to_the_end() -> dict[str, tuple[tuple[Run, ...], int]]:
    found = [plan for plan in plans(8) if plan[-1].checkpointed]
    return {told(plan): (plan, -1) for plan in found}


@counted(checkpointed_to_the_end, planted=lambda: ((Run(4, True),) * 4, 0))
def last_run_needs_no_checkpoint(member: tuple[tuple[Run, ...], int]) -> bool:
    """By the account, a plan's peak is the same without the checkpoint around its last run."""
    plan, index = member
    return peak(plan) == peak(without(plan, index))
