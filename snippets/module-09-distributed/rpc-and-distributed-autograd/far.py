"""Functions that the probes of the page call in another process, and what they find there."""

import threading

import torch
from torch.distributed import autograd as dist_autograd
from torch.distributed import rpc

weight = torch.ones(2, requires_grad=True)  # each process has one; the server's is meant
kept = []


# region far
def triple(x):
    return (x * 3).sum()


def weigh(x):
    return (weight * x).sum()


def keep(x):
    kept.append(x)


def deliver(context):
    """A backward from here, from the tensor that was kept."""
    dist_autograd.backward(context, [kept.pop().sum()])


# endregion


def look(x):
    in_main = threading.current_thread() is threading.main_thread()
    return x.is_leaf, None if x.is_leaf else repr(x).split("grad_fn=")[1].strip("<>)"), in_main


def gradients(context):
    """What the context holds for the weight here, and what the weight holds itself."""
    return dist_autograd.get_gradients(context).get(weight), weight.grad


def functions():
    """The ids of the send and recv functions of the context of whoever calls."""
    context = dist_autograd._current_context()
    return sorted(context._send_functions()), sorted(context._recv_functions())


def known(context):
    try:
        dist_autograd._is_valid_context(context)
    except RuntimeError:
        return False
    return True


def weight_rref():
    return rpc.RRef(weight)


def step(operator, a, b):
    return getattr(torch, operator)(a, b)


def relay(to, operator, a, b):
    """Have another worker do a step, and give what it gave."""
    return rpc.rpc_sync(to, step, args=(operator, a, b))


if __name__ == "__main__":
    x = torch.ones(2, requires_grad=True)
    print(triple(x), weigh(x))
