"""What it costs to ask for a shape: on meta in C++ and in Python, and under FakeTensorMode with its cache."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch._subclasses.fake_tensor import FakeTensorMode


def seconds(work: Callable[[], object], mode: AbstractContextManager, calls: int = 20) -> float:
    """Seconds for a number of calls; the mode is entered once for all."""
    with mode:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        return time.perf_counter() - start


def measure() -> dict[str, float]:
    a, b = torch.ones(2, 1), torch.ones(3)
    on_meta = a.to("meta"), b.to("meta")
    gradient, x = torch.ones(2, 3, device="meta"), torch.ones(2, 3, device="meta")
    mode, forgetful = FakeTensorMode(), FakeTensorMode()
    forgetful.cache_enabled = False
    in_mode = mode.from_tensor(a), mode.from_tensor(b)
    in_forgetful = forgetful.from_tensor(a), forgetful.from_tensor(b)
    ways = {
        "real": lambda: torch.add(a, b),
        "meta_in_cpp": lambda: torch.ops.aten.silu_backward(gradient, x),
        "meta_in_python": lambda: torch.add(*on_meta),
        "fake": lambda: torch.add(*in_forgetful),
        "fake_cached": lambda: torch.add(*in_mode),
    }
    # Interleaved, and the least of many, so that what else the machine does falls on all alike.
    modes = {"fake": forgetful, "fake_cached": mode}
    rounds = [
        {name: seconds(way, modes.get(name, nullcontext())) for name, way in ways.items()} for _ in range(100)
    ]
    least = {name: min(times[name] for times in rounds) for name in ways}
    return {name: least[name] / least["real"] for name in ways if name != "real"}


if __name__ == "__main__":
    print(measure())
