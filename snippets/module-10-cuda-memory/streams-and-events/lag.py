"""A stream that lags behind the host, on the dry GPU and on a real one."""

import time

import torch
from inside_torch.dry import hold, is_dry, release

MIB = 1 << 20


def new(mib: int = 64) -> torch.Tensor:
    """A tensor of so many MiB, on the current stream."""
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def keep_blocks(number: int, *streams: torch.cuda.Stream) -> None:
    """Have so many free blocks in each stream: on a real GPU `cudaMalloc` may wait for a stream that lags."""
    for stream in streams:
        with torch.cuda.stream(stream):
            [new() for _ in range(number)]


def lag(stream: torch.cuda.Stream) -> None:
    """From now on, what this stream is asked is done late."""
    if is_dry():
        hold(stream)
    else:
        new(1) + 1  # its kernel is loaded now, for that may wait
        with torch.cuda.stream(stream):
            torch.cuda._sleep(2**31)  # a kernel that counts to two billion


def catch_up(stream: torch.cuda.Stream) -> None:
    """Wait until the stream has done all that it was asked."""
    if is_dry():
        release(stream)
    stream.synchronize()


def settle() -> None:
    """Give the streams that do not lag the time to finish, while another one lags."""
    if not is_dry():
        time.sleep(0.3)


if __name__ == "__main__":
    side = torch.cuda.Stream()
    keep_blocks(2, side)
    lag(side)
    with torch.cuda.stream(side):
        x = new() + 1
    print("MiB:", x.nbytes // MIB, "done:", side.query())
    catch_up(side)
    print("MiB:", x.nbytes // MIB, "done:", side.query())
