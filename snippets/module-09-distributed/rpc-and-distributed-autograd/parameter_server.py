"""A parameter server and two trainers: three processes, and the weights are in one of them."""

import threading
from functools import partial

import torch
from torch.distributed import rpc
from torch.futures import Future
from workers import processes

STEPS, TRAINERS, RATE = 5, 2, 0.1
torch.manual_seed(0)
inputs, targets = torch.randn(8, 3, dtype=torch.float64), torch.randn(8, dtype=torch.float64)


def gradient(weight, number):
    """The gradient of a trainer's half of the batch, by the weights that it was given."""
    weight = weight.clone().requires_grad_()
    half = slice(number, None, TRAINERS)
    ((inputs[half] @ weight - targets[half]) ** 2).mean().backward()
    return weight.grad


# region server
lock = threading.Lock()
weight, pushed, answer, calls = torch.zeros(3, dtype=torch.float64), [], Future(), 0


def pull():
    return weight


@rpc.functions.async_execution
def push(grad):
    """Take a gradient; answer with the new weights when all trainers have pushed theirs."""
    global weight, pushed, answer, calls
    with lock:
        calls += 1
        pushed.append(grad)
        promised = answer
        if len(pushed) == TRAINERS:
            weight = weight - RATE * sum(pushed) / TRAINERS
            pushed, answer = [], Future()
            promised.set_result(weight)
    return promised


def counted():
    return calls


# endregion


# region trainer
def train(number):
    own = rpc.rpc_sync("server", pull)
    for _ in range(STEPS):
        own = rpc.rpc_sync("server", push, args=(gradient(own, number),))
    return own, rpc.rpc_sync("server", counted)


# endregion


def by_server():
    trainers = {f"trainer{number}": partial(train, number) for number in range(TRAINERS)}
    return processes({"server": None, **trainers})


if __name__ == "__main__":
    results = by_server()
    (first, _), (second, _) = results["trainer0"], results["trainer1"]
    calls = max(calls for _, calls in (results["trainer0"], results["trainer1"]))
    print("the trainers have the same weights:", torch.equal(first, second))
    print("weights:", first.round(decimals=4))
    print(f"{STEPS} steps, {calls} gradients came to the server")
