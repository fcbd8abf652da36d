"""What some settings change: the opening case, a cached block that is too small, and the size of a block."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:100"
os.environ["PYTORCH_ALLOC_CONF"] = "max_split_size_mb:300"

import torch

MiB = 1 << 20


def new(size: int) -> torch.Tensor:
    return torch.empty(size * MiB, dtype=torch.uint8, device="cuda")


# region cases
def opening() -> str:
    kept = [new(1200)]
    kept.clear()
    kept.append(new(20))
    try:
        kept.append(new(1200))
    except torch.OutOfMemoryError:
        return "refused"
    return "granted"


def replaced() -> int:
    """What is reserved when a block of 700 MiB is cached and 800 MiB are asked for."""
    new(700)
    new(800)
    return torch.cuda.memory_reserved() // MiB


def block() -> int:
    """What a tensor of 1100 MiB takes."""
    kept = [new(1100)]
    taken = torch.cuda.memory_allocated()
    kept.clear()
    return taken // MiB


def table(settings: list[str], limit: float) -> None:
    torch.cuda.set_per_process_memory_fraction(limit)
    for setting in settings:
        torch._C._accelerator_setAllocatorSettings(f"expandable_segments:False,{setting}")
        print(f"{setting:48}", end="")
        for case in opening, replaced, block:
            torch.cuda.empty_cache()
            print(f"{case():>10}", end="")
        print()


# endregion


def main() -> None:
    torch.cuda.init()
    first = torch.cuda.memory._snapshot()["allocator_settings"]["max_split_size"] // MiB
    print("of the two variables max_split_size_mb was taken from the one that says", first)
    memory = torch.cuda.get_device_properties(0).total_memory
    print(f"{'2 GiB allowed':48}{'opening':>10}{'replaced':>10}{'block':>10}")
    table(
        [
            "max_split_size_mb:2000",
            "max_split_size_mb:200",
            "expandable_segments:True",
            "expandable_segments:True,max_split_size_mb:200",
            "garbage_collection_threshold:0.3",
            "roundup_power2_divisions:4",
        ],
        2048 * MiB / memory,
    )
    print("no limit")
    table(["garbage_collection_threshold:0.01"], 1.0)
    for settings in "expandable_segments:True,max_split_size_mb:64", "garbage_collection_threshold:0.5":
        torch._C._accelerator_setAllocatorSettings(settings)
    told = torch.cuda.memory._snapshot()["allocator_settings"]
    print("set one after the other:", {key: told[key] for key in ("expandable_segments", "max_split_size")})


if __name__ == "__main__":
    main()
