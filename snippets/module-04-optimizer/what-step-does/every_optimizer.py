"""What each optimizer holds for one parameter after one step, and what a gradient of zeros does then."""

import torch
from torch import nn

KINDS = [
    kind
    for name, kind in sorted(vars(torch.optim).items())
    if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer)
]


# region one
def after_two_steps(kind: type, **options: float) -> tuple[list[str], bool]:
    """The names in the state after a step with a gradient, and whether one with zeros moves the parameter."""
    weight = nn.Parameter(torch.ones(2, 2))
    optimizer = kind([weight], **options)

    def step_with(gradient: float) -> None:
        ones = torch.ones(2, 2)
        weight.grad = (ones.to_sparse() if kind is torch.optim.SparseAdam else ones) * gradient
        optimizer.step(lambda: torch.ones(()))

    step_with(0.5)
    names = list(optimizer.state[weight])
    before = weight.detach().clone()
    step_with(0.0)
    return names, not torch.equal(weight, before)


# endregion


def main() -> None:
    for kind in KINDS:
        if kind is torch.optim.Optimizer:
            continue
        for options in ({}, {"momentum": 0.9}) if kind is torch.optim.SGD else ({},):
            names, moves = after_two_steps(kind, **options)
            label = kind.__name__ + "".join(f" {name}={value}" for name, value in options.items())
            print(f"{label:18}{'moves' if moves else 'rests':7}{' '.join(names) or '-'}")


if __name__ == "__main__":
    main()
