"""One rank of an NCCL group in this process, and streams that lag behind the host.

On the dry GPU the group is of four, and the other three are pretended. On a real one the rank is alone.
"""

import tempfile
import warnings
from datetime import timedelta
from pathlib import Path

import torch
from inside_torch.dry import hold, is_dry, release
from torch import distributed as dist

MIB = 1 << 20


def join(**options) -> None:
    """Become rank 0; `timeout` and the like may be said."""
    options = {"timeout": timedelta(seconds=100)} | options
    store = dist.FileStore(str(Path(tempfile.mkdtemp()) / "store"), 1)
    world = 4 if is_dry() else 1
    warnings.filterwarnings("ignore", message="barrier", category=UserWarning)
    dist.init_process_group("nccl", store=store, rank=0, world_size=world, **options)
    dist.all_reduce(new(1))  # the first one makes the communicator
    dist.all_reduce(new(1), async_op=True).wait()
    torch.cuda.synchronize()


def new(mib: int = 64) -> torch.Tensor:
    """A tensor of so many MiB."""
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def keep_blocks(number: int) -> None:
    """Have so many free blocks: on a real GPU `cudaMalloc` may wait for a stream that lags."""
    del [new() for _ in range(number)][:]


def lag(stream: torch.cuda.Stream) -> None:
    """From now on, what this stream is asked is done late."""
    if is_dry():
        hold(stream)
    else:
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2**31)  # a kernel that counts to two billion


def catch_up(stream: torch.cuda.Stream) -> None:
    """Wait until all that was asked of the GPU is done, this stream's part among it."""
    if is_dry():
        release(stream)
    torch.cuda.synchronize()


if __name__ == "__main__":
    join()
    main = torch.cuda.current_stream()
    lag(main)
    print("done:", main.query())
    catch_up(main)
    print("done:", main.query())
    dist.destroy_process_group()
