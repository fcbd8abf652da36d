"""The blocks of one segment while the opening case runs, as the allocator tells them."""

import torch

MiB = 1 << 20


# region stages
def new(size: int) -> torch.Tensor:
    return torch.empty(size * MiB, dtype=torch.uint8, device="cuda")


def tell(stage: str) -> None:
    """The blocks of all segments, one behind the other."""
    end = 0
    for segment in torch.cuda.memory_snapshot():
        for block in segment["blocks"]:
            begin, end = end, end + block["size"] // MiB
            name = f"{end - begin} MiB" if block["state"] == "active_allocated" else "-"
            print(stage, begin, end, name, sep="  ")


def main() -> None:
    print("lane", "from", "to", "name", sep="  ")
    x = new(1200)
    tell("x = new(1200)")
    del x
    tell("del x")
    keep = new(20)
    tell("keep = new(20)")
    del keep
    tell("del keep")


# endregion

if __name__ == "__main__":
    main()
