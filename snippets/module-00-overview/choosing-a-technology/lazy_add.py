"""Lazy tensors: an addition that does not happen until somebody wants to see it."""

import torch
import torch._lazy
import torch._lazy.metrics
import torch._lazy.ts_backend

torch._lazy.ts_backend.init()


def recorded(tensor):
    """Names of the operators that stand in the pending graph of a lazy tensor."""
    lines = torch._C._lazy._get_tensors_text([tensor]).splitlines()
    return [line.split("] ")[1].split("(")[0] for line in lines if "= [" in line]


def compiled():
    """How many graphs have been compiled so far."""
    counters = torch._lazy.metrics.counter_names()
    return torch._lazy.metrics.counter_value("UncachedCompile") if "UncachedCompile" in counters else 0


if __name__ == "__main__":
    a = torch.tensor([1.0, 2.0, 3.0]).to("lazy")
    b = torch.tensor([10.0, 20.0, 30.0]).to("lazy")
    c = a + b
    print("pending:", recorded(c), "graphs compiled:", compiled())
    print("asked for:", c.tolist(), "graphs compiled:", compiled())
    print("still pending:", recorded(c))
    for _ in range(3):
        (a + b).tolist()
    print("three more of the same, graphs compiled:", compiled())
    (a + b + c).tolist()
    print("another graph, graphs compiled:", compiled())
    for size in (4, 5, 4, 5):
        torch.ones(size).to("lazy").mul(2).tolist()
    print("two shapes, twice each, graphs compiled:", compiled())
    d = a + b
    torch._lazy.mark_step()
    print("after the end of the step:", recorded(d))
