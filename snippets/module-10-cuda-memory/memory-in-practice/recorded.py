"""A tensor comes and goes while the allocator's history is recorded, and a snapshot is taken: `path()`."""

import torch

torch.cuda.init()
torch.cuda.memory._record_memory_history(stacks="python")


# region path
def path() -> dict:
    tensor = torch.empty(5_000_001, dtype=torch.uint8, device="cuda")
    del tensor
    return torch.cuda.memory._snapshot()


# endregion


if __name__ == "__main__":
    (trace,) = path()["device_traces"]
    for entry in trace:
        print(f"{entry['action']:14} {entry['size']:8} bytes, in", entry["frames"][0]["name"])
