"""What an engine in Python costs: our run of a graph over PyTorch's run of the same graph."""

import time

import torch
from engine import run_backward

NODES = 200
ROUNDS = 20


def graph(size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A chain of matrix products, `size` by `size`, and the leaf at its end."""
    weight = torch.eye(size, device="cpu", requires_grad=True)
    state = torch.ones(size, size, device="cpu")
    for _ in range(NODES):
        state = state @ weight
    return state.sum(), weight


def seconds(size: int, run) -> float:
    """The shortest of several runs of one graph."""
    loss, weight = graph(size)
    best = float("inf")
    for _ in range(ROUNDS):
        weight.grad = None
        start = time.perf_counter()
        run(loss)
        best = min(best, time.perf_counter() - start)
    return best


def ratio(size: int) -> float:
    """Our time over torch's, the graph being kept in both."""
    ours = seconds(size, lambda loss: run_backward([(loss.grad_fn, 0)], [torch.ones_like(loss)]))
    theirs = seconds(size, lambda loss: loss.backward(retain_graph=True))
    return ours / theirs


def measure() -> dict[str, float]:
    """The ratio for products that take no time, and for products that do."""
    return {"nodes": NODES, "small": ratio(2), "large": ratio(256)}


if __name__ == "__main__":
    found = measure()
    print("small products: torch's engine is faster", found["small"] > 1)
    print("large products: less so", found["large"] < found["small"])
