"""What the hook costs: a call of a compiled function, and a call of any function while the hook is there."""

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.decorators import skip

CALLS = 2_000  # in one timing
ROUNDS = 25  # timings of each way, taken in turn


def step(x: Tensor) -> Tensor:
    """What is compiled: one operator, on one number."""
    return x + 1


def nothing(number: int) -> int:
    """What is never compiled: it has no tensor."""
    return number


def seconds(function: Callable, argument: Any) -> float:
    """The time of a loop of calls."""
    start = perf_counter()
    for _ in range(CALLS):
        function(argument)
    return perf_counter() - start


@skip
def seconds_inside(function: Callable, argument: Any) -> float:
    """The same loop. Its own frame is not compiled, and those of the functions that it calls may be."""
    start = perf_counter()
    for _ in range(CALLS):
        function(argument)
    return perf_counter() - start


def while_another_thread_is_inside(function: Callable, argument: Any) -> float:
    """The first loop, in a thread that has no callback, while another thread has one."""
    inside, done = threading.Event(), threading.Event()

    @skip
    def region() -> None:
        inside.set()
        done.wait()

    thread = threading.Thread(target=torch._dynamo.run(region))
    thread.start()
    inside.wait()
    try:
        return seconds(function, argument)
    finally:
        done.set()
        thread.join()


# region measure
def measure() -> dict[str, float]:
    """Times over those of the plain calls, each the least of rounds taken in turn."""
    x = torch.ones(1)
    compiled = torch.compile(step, backend="eager")
    disabled = torch.compiler.disable(step)
    inside = torch.compile(seconds_inside, backend="eager")
    ways = {
        "tensor_plain": lambda: seconds(step, x),
        "tensor_compiled": lambda: seconds(compiled, x),
        "tensor_inside": lambda: inside(step, x),
        "tensor_disabled": lambda: seconds(disabled, x),
        "number_plain": lambda: seconds(nothing, 1),
        "number_skipped": lambda: inside(nothing, 1),
        "number_elsewhere": lambda: while_another_thread_is_inside(nothing, 1),
    }
    for way in ways.values():
        way()  # what is to be compiled is compiled
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(way())
    least = {name: min(found) for name, found in times.items()}
    return {name: round(time / least[f"{name.partition('_')[0]}_plain"], 2) for name, time in least.items()}


# endregion


if __name__ == "__main__":
    for name, ratio in measure().items():
        print(f"{name}: {ratio}")
