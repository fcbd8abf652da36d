"""The opening case, for its call path: a segment, a block cached, split, and a request that is refused."""

import torch

MiB = 1 << 20


def new(size: int) -> torch.Tensor:
    return torch.empty(size * MiB, dtype=torch.uint8, device="cuda")


torch.cuda.init()
total = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction(2048 * MiB / total)


# region path
def path() -> str:
    x = new(1200)  # from the driver
    del x
    keep = new(20)  # from the block that was freed
    try:
        new(1200)
    except torch.OutOfMemoryError as error:
        return str(error).partition(". GPU")[0]
    finally:
        del keep


# endregion

if __name__ == "__main__":
    print(path())
