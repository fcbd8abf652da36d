"""What this article says of all streams, and of programs that nobody wrote by hand."""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("DRY_GPU_LOG", str(Path(tempfile.mkdtemp()) / "log"))
sys.path.insert(0, str(Path(__file__).with_name("exercises") / "the-next-owner"))

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from inside_torch.dry import hold, release
from solution import Allocator, Queue


def new(stream: torch.cuda.Stream) -> torch.Tensor:
    with torch.cuda.stream(stream):
        return torch.empty(64 << 20, dtype=torch.uint8, device="cuda")


def end(streams: list[torch.cuda.Stream]) -> None:
    for stream in streams:
        release(stream)
    torch.cuda.synchronize()
    torch.cuda.empty_cache()


def calls(work) -> list[str]:
    """What the device is asked meanwhile, by the log of the dry GPU."""
    log = Path(os.environ["DRY_GPU_LOG"])
    begin = log.stat().st_size
    work()
    return [json.loads(line)["call"] for line in log.read_bytes()[begin:].splitlines()]


def places() -> dict[str, tuple[int, int, int]]:
    """A priority, the place in its pool from which we begin, and when the first is to come again."""
    low, high = torch.cuda.Stream.priority_range()
    priorities = range(low, high - 1, -1)
    return {f"priority {one}, place {place}": (one, place, 32) for one in priorities for place in range(32)}


def too_early() -> tuple[int, int, int]:
    return 0, 0, 31


@counted(places, planted=too_early, minimum=64, build="dry")
def the_pool_comes_round(place: tuple[int, int, int]) -> bool:
    """Of the streams of one priority, 32 that are asked for in a row differ, and the next is the first."""
    priority, skip, size = place
    for _ in range(skip):
        torch.cuda.Stream(priority=priority)
    streams = [torch.cuda.Stream(priority=priority).cuda_stream for _ in range(size + 1)]
    return len(set(streams)) == size and streams[size] == streams[0]


def users_and_blocks() -> dict[str, tuple[int, int]]:
    return {
        f"{users} streams, {blocks} blocks": (users, blocks)
        for users in range(1, 7)
        for blocks in range(1, 7)
    }


def nobody() -> tuple[int, int]:
    return 0, 1


@counted(users_and_blocks, planted=nobody, minimum=36, build="dry")
def an_event_for_each_user(case: tuple[int, int]) -> bool:
    """`record_stream` asks nothing; a free records an event on each stream, a malloc asks one if all lag."""
    users, blocks = case
    streams = [torch.cuda.Stream() for _ in range(users)]
    tensors = [new(torch.cuda.current_stream()) for _ in range(blocks)]
    recorded = calls(lambda: [tensor.record_stream(stream) for tensor in tensors for stream in streams])
    for stream in streams:
        hold(stream)
    freed, asked = calls(tensors.clear), calls(lambda: new(torch.cuda.current_stream()))
    end(streams)
    if recorded or freed != ["cudaEventRecord"] * users * blocks:
        return False
    return 0 < users == asked.count("cudaEventQuery")


# region against the allocator
def programs():
    """What a program may do with three streams and their blocks."""
    number, stream = st.integers(0, 9), st.integers(0, 2)
    step = st.tuples(st.sampled_from(["malloc", "free", "record", "hold", "release", "wait"]), number, stream)
    return st.lists(step, min_size=10, max_size=40)


class Forgetful(Allocator):
    """An allocator that forgets who uses a block."""

    def record_stream(self, block, queue):
        pass


def told_apart():
    return [("malloc", 0, 0), ("record", 0, 1), ("hold", 0, 1), ("free", 0, 0), ("malloc", 0, 0)], Forgetful()


@counted(cases(programs(), count=300), planted=told_apart, build="dry", timeout=300)
def the_model_gives_the_same_blocks(case) -> bool:
    """The allocator of the exercise's solution gives the blocks that the caching allocator gives."""
    steps, allocator = case if isinstance(case, tuple) else (case, Allocator())
    streams = [torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
    queues, live, addresses, same = [Queue() for _ in streams], [], {}, True
    for what, number, which in steps:
        stream, queue = streams[which], queues[which]
        if what == "malloc":
            tensor, block = new(stream), allocator.malloc(queue)
            if block not in addresses:
                same = same and tensor.data_ptr() not in addresses.values()
                addresses[block] = tensor.data_ptr()  # where it lies, the driver decides
            same = same and tensor.data_ptr() == addresses[block]
            live.append((tensor, block))
        elif what in ("free", "record") and live:
            tensor, block = live[number % len(live)]
            if what == "record":
                tensor.record_stream(stream)
                allocator.record_stream(block, queue)
            else:
                live.pop(number % len(live))
                del tensor  # the device's first, then the model's
                allocator.free(block)
        elif what == "hold":
            hold(stream)
            queue.hold()
        elif what == "release":
            release(stream)
            queue.release()
        elif what == "wait":
            stream.wait_stream(streams[number % 3])
            queue.wait_queue(queues[number % 3])
        tensor = None
    live.clear()
    end(streams)
    return same


# endregion
