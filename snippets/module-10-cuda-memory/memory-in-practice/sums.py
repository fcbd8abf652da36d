"""Four sums of the allocator's statistics, after each of a few calls, in MiB."""

import torch

SUMS = "allocated", "active", "reserved", "inactive_split"


def new(size: int) -> torch.Tensor:
    return torch.empty(size << 20, dtype=torch.uint8, device="cuda")


def tell(what: str) -> None:
    stats = torch.cuda.memory_stats()
    print(f"{what:30}", *(f"{stats[f'{name}_bytes.all.current'] >> 20:{len(name)}}" for name in SUMS))


def states() -> list[str]:
    segments = torch.cuda.memory._snapshot()["segments"]
    return sorted({block["state"] for segment in segments for block in segment["blocks"]})


# region calls
def main() -> None:
    print(" " * 30, *SUMS)
    large = new(30)
    tell("a tensor of 30 MiB")
    small = new(5)
    tell("another of 5")
    large.record_stream(torch.cuda.Stream())
    del large
    tell("the first dropped, but in use")
    found = states()
    torch.cuda.synchronize()
    tell("the other stream is done")
    more = new(6)
    tell("another of 6")
    torch.cuda.empty_cache()
    tell("empty_cache")
    print("states of blocks, before the stream was done:", *found)
    assert small.nbytes < more.nbytes


# endregion


if __name__ == "__main__":
    main()
