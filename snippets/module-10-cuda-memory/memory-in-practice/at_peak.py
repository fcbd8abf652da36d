"""What is alive at the peak of a training step, read from a snapshot of the allocator's history."""

import linecache
from collections import Counter
from pathlib import Path

import torch
from measures import MIB, Training, plain

OURS = "measures.py"
Entry = dict


# region reading
def at_peak(trace: list[Entry]) -> list[Entry]:
    """The allocations that are alive when most is, of those that the trace has seen."""
    alive: dict[int, Entry] = {}
    now = peak = 0
    found: list[Entry] = []
    for entry in trace:
        if entry["action"] == "alloc":
            alive[entry["addr"]] = entry
            now += entry["size"]
            if now > peak:
                peak, found = now, list(alive.values())
        elif entry["action"] == "free_requested" and entry["addr"] in alive:
            now -= alive.pop(entry["addr"])["size"]
    return found


def made_at(entry: Entry) -> str:
    """The innermost line of the training that asked for the memory."""
    for frame in entry["frames"]:
        if Path(frame["filename"]).name == OURS:
            return linecache.getline(frame["filename"], frame["line"]).strip()
    return "(no line of Python)"


# endregion


def tell(size: int) -> None:
    torch.cuda.memory._record_memory_history(stacks="python", clear_history=True)
    training = Training(size)
    for _ in range(2):
        list(training.step(plain))
    (trace,) = torch.cuda.memory._snapshot()["device_traces"]
    torch.cuda.memory._record_memory_history(None)
    found = at_peak(trace)
    print(f"{size} rows, {sum(entry['size'] for entry in found) / MIB:.0f} MiB in {len(found)} blocks:")
    bytes_of, blocks_of = Counter(), Counter()
    for entry in found:
        bytes_of[made_at(entry)] += entry["size"]
        blocks_of[made_at(entry)] += 1
    for line, taken in bytes_of.items():
        print(f"{taken / MIB:6.0f} MiB {blocks_of[line]:3} of them  {line}")


def main() -> None:
    list(Training(8).step(plain))  # cuBLAS has its workspaces from here on
    tell(4096)
    tell(256)


if __name__ == "__main__":
    main()
