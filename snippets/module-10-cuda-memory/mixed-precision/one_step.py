"""The forward and the backward of one step on a GPU: how often they cast, and wait for the device."""

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile


def casts(work: Callable[[], Any]) -> int:
    """How many casts the host asks for."""
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        work()
    return Counter(event.name() for event in seen.profiler.kineto_results.events())["aten::_to_copy"]


def waits(work: Callable[[], Any]) -> int:
    """How often PyTorch warns that the host waits for the device: not of `torch.cuda.synchronize()`, say."""
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        work()
    torch.cuda.set_sync_debug_mode("default")
    return sum("synchronizing" in str(each.message) for each in told)


# region step
class Net(nn.Module):
    """Four layers, the first of them used twice, and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64, 64, bias=False, device="cuda") for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, second, third, last = self.layers
        return last(third(second(first(first(x)))).softmax(1))


class Step:
    def __init__(self, half: torch.dtype | None, **options: bool):
        self.net, self.x = Net(), torch.zeros(8, 64, device="cuda")
        self.region = {"dtype": half, "enabled": half is not None, **options}

    def forward(self) -> None:
        with torch.autocast("cuda", **self.region):
            self.loss = self.net(self.x).float().mean()

    def backward(self) -> None:
        self.loss.backward()


# endregion


def main() -> None:
    warnings.filterwarnings("ignore", message="Synchronization debug mode is a prototype")
    ways = {
        "no autocast": (None, {}),
        "float16": (torch.float16, {}),
        "float16, no cache": (torch.float16, {"cache_enabled": False}),
        "bfloat16": (torch.bfloat16, {}),
    }
    print(f"{'':18}{'forward':>10}{'backward':>10}{'waits':>10}")
    for name, (half, options) in ways.items():
        step, other = Step(half, **options), Step(half, **options)
        waited = waits(other.forward) + waits(other.backward)
        print(f"{name:18}{casts(step.forward):10}{casts(step.backward):10}{waited:10}")


if __name__ == "__main__":
    main()
