"""What it costs to send numbers to another process that reads them, over sending it one small number."""

import time
from collections.abc import Callable
from typing import Any

import torch
import torch.multiprocessing as mp

SIZES = tuple(2**power for power in range(10, 27, 4))


def read(things: Any, answers: Any) -> None:
    """Answers each thing, once it has gone through its numbers."""
    torch.set_num_threads(1)
    while (thing := things.get()) is not None:
        tensor = torch.from_numpy(thing) if type(thing).__module__ == "numpy" else torch.as_tensor(thing)
        answers.put(float(tensor.max()))
        del thing, tensor


# region ways
def ways(size: int) -> dict[str, Callable[[], Any]]:
    """What is put into the queue, made anew for each time."""
    numbers = torch.rand(size // 4)
    shared = numbers.clone().share_memory_()
    return {
        "tensor": numbers.clone,
        "shared": lambda: shared,
        "array": lambda: numbers.clone().numpy(),
    }


# endregion


def seconds(things: Any, answers: Any, make: Callable[[], Any], rounds: int) -> float:
    """The least time from the putting to the answer."""
    times = []
    for _ in range(rounds):
        thing = make()
        start = time.perf_counter()
        things.put(thing)
        answers.get()
        times.append(time.perf_counter() - start)
    return min(times)


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    context = mp.get_context("fork")
    things, answers = context.Queue(), context.Queue()
    child = context.Process(target=read, args=(things, answers), daemon=True)
    child.start()
    small = seconds(things, answers, lambda: 1.0, 300)
    found = {}
    for size in SIZES:
        for name, make in ways(size).items():
            found[f"{size // 1024}/{name}"] = (
                seconds(things, answers, make, 60 if size < 2**24 else 15) / small
            )
    things.put(None)
    child.join()
    smallest, largest = SIZES[0] // 1024, SIZES[-1] // 1024
    told = {f"largest_{name}": found[f"{largest}/{name}"] for name in ("tensor", "shared", "array")}
    return found | told | {"smallest_tensor": found[f"{smallest}/tensor"]}


if __name__ == "__main__":
    print(measure())
