"""What each of a few calls adds to the trace of the allocator."""

import contextlib

import torch

MIB = 1 << 20


def new(size: int) -> torch.Tensor:
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


# region calls
class Story:
    """Runs a call, and tells what it added to the trace."""

    def __init__(self, **options) -> None:
        torch.cuda.memory._record_memory_history(stacks="python", clear_history=True, **options)
        self.seen: list[str] = []

    def tell(self, what: str, call) -> None:
        call()
        (trace,) = torch.cuda.memory._snapshot()["device_traces"]
        added = [entry["action"] for entry in trace][len(self.seen) :]
        self.seen += added
        print(f"{what:40}", *added)


def too_much() -> None:
    with contextlib.suppress(torch.OutOfMemoryError):
        new(1 << 20)


def other_stream(tensor: torch.Tensor) -> None:
    tensor.record_stream(torch.cuda.Stream())


def main() -> None:
    torch.cuda.init()
    story, kept = Story(), []
    story.tell("a tensor of 30 MiB", lambda: kept.append(new(30)))
    story.tell("it is dropped", kept.clear)
    story.tell("another of 30 MiB", lambda: kept.append(new(30)))
    story.tell("a second stream has used it", lambda: other_stream(kept[0]))
    story.tell("it is dropped", kept.clear)
    torch.cuda.synchronize()
    story.tell("another of 30 MiB", lambda: kept.append(new(30)))
    story.tell("it is dropped", kept.clear)
    story.tell("empty_cache", torch.cuda.empty_cache)
    story.tell("a tensor of 1 TiB", too_much)
    torch._C._accelerator_setAllocatorSettings("expandable_segments:True")
    story.tell("a tensor of 30 MiB, expandable", lambda: kept.append(new(30)))
    story.tell("it is dropped", kept.clear)
    story.tell("empty_cache", torch.cuda.empty_cache)
    # endregion
    print(len(set(story.seen)), "actions:", *sorted(set(story.seen)))


if __name__ == "__main__":
    main()
