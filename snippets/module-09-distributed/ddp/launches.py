"""What a backward under DDP asks of a GPU: which stream does what, and who waits for whom."""

import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("DRY_GPU_LOG", str(Path(tempfile.mkdtemp()) / "log"))

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel


# region backward
def calls(ddp: DistributedDataParallel, x: torch.Tensor) -> list[dict]:
    """One step; what its backward asks of the GPU."""
    log = Path(os.environ["DRY_GPU_LOG"])
    loss = ddp(x).sum()
    begin = log.stat().st_size
    loss.backward()
    return [json.loads(line) for line in log.read_bytes()[begin:].splitlines()]


def told(asked: list[dict]) -> list[str]:
    """Products, all-reduces, and the waits of one stream for the other."""
    lines, recorded = [], {}
    for call in asked:
        stream = call.get("stream")
        match call["call"]:
            case "cudaEventRecord":
                recorded[call["event"]] = stream
            case "cudaStreamWaitEvent":
                lines.append(f"stream {stream} waits for stream {recorded[call['event']]}")
            case "ncclAllReduce":
                lines.append(f"stream {stream}: all-reduce of {call['bytes'] >> 20} MiB")
            case name if "gemm" in name:
                lines.append(f"stream {stream}: product")
            case "cudaMemcpyAsync":
                lines.append(f"stream {stream}: copy of {call['bytes'] >> 20} MiB")
            case "cudaLaunchKernel" if call["grid"][0] == 256:  # as large as a weight
                lines.append(
                    f"stream {stream}: kernel, " + ("add" if "add" in call["kernel"] else "multiply")
                )
    return lines


# endregion


def of_the_host() -> tuple[int, int, int]:
    """How often the host has waited so far, for a stream and for an event, and the copies to it."""
    asked = [json.loads(line) for line in Path(os.environ["DRY_GPU_LOG"]).read_bytes().splitlines()]
    waits = sum(call["call"] in ("cudaStreamSynchronize", "cudaDeviceSynchronize") for call in asked)
    events = sum(call["call"] == "cudaEventSynchronize" for call in asked)
    return waits, events, sum(call.get("way") == "device to host" for call in asked)


def main() -> None:
    distributed.init_process_group(
        "nccl", store=distributed.HashStore(), rank=0, world_size=4, device_id=torch.device("cuda", 0)
    )
    net = nn.Sequential(*(nn.Linear(512, 512, bias=False) for _ in range(3))).cuda()
    ddp = DistributedDataParallel(net, bucket_cap_mb=1)
    x = torch.ones(8, 512, device="cuda")
    last = []
    for step in range(3):
        net.zero_grad()
        before = of_the_host()
        lines = told(calls(ddp, x))
        streams, events, copies = (now - old for now, old in zip(of_the_host(), before, strict=True))
        print(f"step {step}: the host waited {streams} times for a stream, {events} for an event,", end=" ")
        print(f"with {copies} copies to it")
        print(*lines if lines != last else ["the same as in the step before"], sep="\n", end="\n\n")
        last = lines
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
