"""Every kind of hook of one call and its backward, the old one left out, in the order in which they fire."""

import warnings

import torch
from torch import nn
from torch.nn.modules import module as everywhere
from torch.utils.hooks import RemovableHandle

warnings.filterwarnings("ignore", "Using `torch.compile")
events: list[tuple[str, str, str]] = []


# region net
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc(x).relu()


# endregion


# region hooks
def note(moment: str, whose: str):
    """A hook that notes when it was called, as whose, and on what; it takes what any kind is given."""

    def hook(what, *_, **__) -> None:
        events.append((moment, whose, type(what).__name__))

    return hook


def hook_everything(net: Net, x: torch.Tensor) -> list[RemovableHandle]:
    """One hook of each kind, the module's own ones first, to see that it does not matter."""
    handles = []
    for module in net, net.fc:
        handles += [
            module.register_forward_pre_hook(note("forward pre", "own")),
            module.register_forward_hook(note("forward", "own")),
            module.register_full_backward_pre_hook(note("backward pre", "own")),
            module.register_full_backward_hook(note("backward", "own")),
        ]
    return [
        *handles,
        everywhere.register_module_forward_pre_hook(note("forward pre", "global")),
        everywhere.register_module_forward_hook(note("forward", "global")),
        everywhere.register_module_full_backward_pre_hook(note("backward pre", "global")),
        everywhere.register_module_full_backward_hook(note("backward", "global")),
        net.fc.weight.register_hook(lambda _: events.append(("tensor", "weight's", "gradient"))),
        net.fc.weight.register_post_accumulate_grad_hook(
            lambda _: events.append(("accumulated", "weight's", "gradient"))
        ),
        x.register_hook(lambda _: events.append(("tensor", "input's", "gradient"))),
    ]


# endregion


# region run
def run(how: str) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """What fired in a first call and its backward, and in a second."""
    torch.compiler.reset()
    net, x = Net(), torch.ones(1, 2, requires_grad=True)
    handles = hook_everything(net, x)
    called = net
    if how == "torch.compile":
        called = torch.compile(net, backend="eager")
    if how == "module.compile":
        net.compile(backend="eager")
    calls = []
    for _ in range(2):
        events.clear()
        y = called(x)
        y.register_hook(lambda _: events.append(("tensor", "output's", "gradient")))
        y.sum().backward()
        calls.append(list(events))
    for handle in handles:
        handle.remove()
    return calls[0], calls[1]


# endregion


def main() -> None:
    ways = ("plain", "torch.compile", "module.compile")
    runs = {how: run(how) for how in ways}
    print(f"{'':42}", *(f"{how:>14}" for how in ways))
    for event in runs["torch.compile"][1]:
        numbers = [runs[how][1].index(event) + 1 if event in runs[how][1] else "-" for how in ways]
        moment, whose, what = event
        print(f"{moment:14}{whose:11}{what:17}", *(f"{number:>14}" for number in numbers))
    for how, (first, second) in runs.items():
        assert len(second) == len(set(second))
        print(f"{how}: {len(second)} calls of hooks, as in the first call: {first == second}")


if __name__ == "__main__":
    main()
