"""What one step of Adam asks of a GPU, in each of three ways: kernels, memory, and the place of `step`."""

import json
import os
import tempfile
import warnings
from collections import Counter
from pathlib import Path

os.environ.setdefault("DRY_GPU_LOG", str(Path(tempfile.mkdtemp()) / "log"))

import torch
from inside_torch.dry import is_dry
from inside_torch.dry.launch_log import LaunchLog, short
from torch import nn


def kernels(work) -> Counter[str]:
    """The kernels that are launched: told by the log of the dry GPU, or by a real one's profiler."""
    if is_dry():
        log = Path(os.environ["DRY_GPU_LOG"])
        begin = log.stat().st_size
        work()
        calls = [json.loads(line) for line in log.read_bytes()[begin:].splitlines()]
        return LaunchLog(calls).kernels
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    on_device = torch.autograd.DeviceType.CUDA  # the profiler tells calls of the host, too
    return Counter(short(event.name) for event in profile.events() if event.device_type == on_device)


# region step
class Marked(nn.Parameter):
    """A parameter of a class of its own."""


def second_step(
    count: int, size: int, kind: type = nn.Parameter, groups: int = 1, **way: bool
) -> tuple[Counter[str], float, str]:
    """The kernels of a second step, its peak of memory in sizes of the parameters, and where `step` is."""
    weights = [kind(torch.ones(size, device="cuda")) for _ in range(count)]
    optimizer = torch.optim.Adam([{"params": weights[start::groups]} for start in range(groups)], **way)
    for weight in weights:
        weight.grad = torch.ones(size, device="cuda")
    optimizer.step()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    launched = kernels(optimizer.step)
    more = (torch.cuda.max_memory_allocated() - before) / (4 * count * size)
    return launched, more, optimizer.state[weights[0]]["step"].device.type


# endregion


def main() -> None:
    warnings.simplefilter("ignore")
    ways = {
        "loop": {"foreach": False},
        "foreach": {"foreach": True},
        "foreach, two groups": {"foreach": True, "groups": 2},
        "fused": {"fused": True},
        "not said": {},
        "not said, a subclass": {"kind": Marked},
        "loop, capturable": {"foreach": False, "capturable": True},
        "foreach, capturable": {"foreach": True, "capturable": True},
        "fused, capturable": {"fused": True, "capturable": True},
    }
    print(f"{'':22}{'4 of them':>10}{'100':>6}{'memory':>8}  step on")
    for name, way in ways.items():
        few, more, where = second_step(4, 1 << 20, **way)
        many = second_step(100, 8, **way)[0]
        print(f"{name:22}{few.total():10}{many.total():6}{more:8.2f}  {where}")
    for name in "loop", "foreach", "fused", "fused, capturable", "foreach, capturable":
        print(f"{name}, kernels for 4 parameters:")
        for kernel, launched in second_step(4, 8, **ways[name])[0].items():
            print(f"  {launched:3} {kernel}")


if __name__ == "__main__":
    main()
