"""Which kernel of CUDA `softmax` becomes, by how many numbers it runs over and how they lie."""

import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("DRY_GPU_LOG", str(Path(tempfile.mkdtemp()) / "log"))

import torch
from inside_torch.dry import is_dry
from inside_torch.dry.launch_log import LaunchLog, short


# region ask
def kernels(work) -> list[str]:
    """The kernels that are launched: told by the log of the dry GPU, or by a real one's profiler."""
    if is_dry():
        log = Path(os.environ["DRY_GPU_LOG"])
        begin = log.stat().st_size
        work()
        calls = [json.loads(line) for line in log.read_bytes()[begin:].splitlines()]
        return list(LaunchLog(calls).kernels)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize()
    on_device = torch.autograd.DeviceType.CUDA  # the profiler tells calls of the host, too
    return [short(event.name) for event in profile.events() if event.device_type == on_device]


def main() -> None:
    for shape, dim, dtype, *into in [
        ((8, 1024), 1, torch.float32),
        ((8, 2048), 1, torch.float32),
        ((8, 2049), 1, torch.float32),
        ((8, 1024), 1, torch.float64),
        ((8, 2048), 1, torch.float64),
        ((8, 1025), 1, torch.float16),
        ((8, 1025), 1, torch.float16, torch.float32),
        ((8, 2049), 1, torch.float16),
        ((8, 100000), 1, torch.float32),
        ((8, 1024), 0, torch.float32),
        ((8, 1024, 1), 1, torch.float32),
    ]:
        x = torch.zeros(shape, dtype=dtype, device="cuda")
        found = kernels(lambda x=x, dim=dim, into=into: torch.softmax(x, dim, *into))
        types = " to ".join(str(type_).removeprefix("torch.") for type_ in (dtype, *into))
        print(f"{shape!s:12} along {dim}  {types:18} {', '.join(found)}")


# endregion

if __name__ == "__main__":
    main()
