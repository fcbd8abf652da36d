"""Loops on lazy tensors: what each step compiles, and how the graph grows."""

from collections.abc import Callable

import torch
import torch._lazy
from torch import Tensor, nn
from torch._lazy import debug, metrics, ts_backend

ts_backend.init()


# region watch
def nodes(tensor: Tensor) -> list[str]:
    """The nodes behind a lazy tensor, by name; to ask for them computes nothing."""
    lines = debug.dump_ir([tensor], "text").splitlines()
    return [line.split("] ")[1].split("(")[0].split("::")[1] for line in lines if "= [" in line]


def counted() -> dict[str, int]:
    """The counters since the last call."""
    found = {name: metrics.counter_value(name) for name in metrics.counter_names()}
    metrics.reset()
    return found


def compiled() -> str:
    """How many graphs were compiled since the last call, and how many were found."""
    found = counted()
    return f"{found.get('UncachedCompile', 0)} compiled, {found.get('CachedCompile', 0)} found"


# endregion


# region orders
def look(w: Tensor) -> None:
    """Asks for the values."""
    w.tolist()


def end(w: Tensor) -> None:
    """Ends the step."""
    torch._lazy.mark_step()


def look_at_list(w: Tensor) -> None:
    """Asks for the values of a list of tensors."""
    torch._lazy.to_cpu([w])


def six_steps(at_the_end: list[Callable]) -> Tensor:
    """Halves a tensor six times. Each step ends in the same way."""
    w = torch.ones(3).to("lazy")
    for _ in range(6):
        w = w * 0.5
        for action in at_the_end:
            action(w)
    return w


# endregion


# region training
def training(
    log: bool, step_ends: bool, momentum: float = 0.9, made_on: str = "cpu", written: bool = False
) -> None:
    """A linear layer, trained for six steps."""
    torch.manual_seed(0)
    model = nn.Linear(4, 3, device=made_on).to("lazy")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
    x = torch.ones(5, 4).to("lazy")
    if written:
        nn.init.ones_(model.weight)
    torch._lazy.mark_step()
    counted()
    sizes = []
    for _ in range(6):
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        if step_ends:
            torch._lazy.mark_step()
        if log:
            loss.item()
        sizes.append(len(nodes(model.weight)))
    print(f"    {compiled()}; nodes behind the weight: {sizes}")


# endregion

if __name__ == "__main__":
    for order in [look], [end], [end, look], [look, end], [look_at_list]:
        counted()
        w = six_steps(order)
        names = ", then ".join(action.__name__ for action in order)
        print(f"{names:16}{compiled()}; the last tensor waits for {len(nodes(w))} nodes")
    print("training, the steps end and the loss is looked at")
    training(log=True, step_ends=True)
    print("the same without momentum")
    training(log=True, step_ends=True, momentum=0)
    print("without momentum, the weight written to before")
    training(log=True, step_ends=True, momentum=0, written=True)
    print("without momentum, the layer made on the device")
    training(log=True, step_ends=True, momentum=0, made_on="lazy")
    print("with momentum, the layer made on the device")
    training(log=True, step_ends=True, made_on="lazy")
    print("training, the loss is looked at")
    training(log=True, step_ends=False)
    print("training, nothing is looked at")
    training(log=False, step_ends=False)
    x = torch.ones(3).to("lazy").requires_grad_()
    x.sigmoid().sum().backward()
    print("a gradient waits for", *(name for name in nodes(x.grad) if name != "device_data"))
