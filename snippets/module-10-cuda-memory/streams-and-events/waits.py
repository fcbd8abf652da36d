"""Which lines hold the host up until the stream has done what it was asked, and which of them are told."""

import warnings

import torch
from lag import catch_up, lag

stream = torch.cuda.current_stream()


def told(work) -> str:
    """What `set_sync_debug_mode("error")` says of it."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        work()
    except RuntimeError as error:
        return "told" if "synchronizing" in str(error) else f"another error: {error}"
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return "-"


def waited(work) -> str:
    """Whether a mark that was put into a lagging stream before the line has been reached after it."""
    work()  # once before, for a real GPU loads its kernels with the first call
    stream.synchronize()
    lag(stream)
    mark = stream.record_event()
    work()
    answer = "waited" if mark.query() else "-"
    catch_up(stream)
    return answer


# region lines
def lines() -> dict:
    """Nothing here computes what the host then reads, so that each line may be run without a GPU."""
    x, y = torch.ones(1000, device="cpu").cuda(), torch.empty(1000, device="cuda")
    one = torch.ones(1, device="cpu").cuda()
    mask = torch.ones(1000, dtype=torch.bool, device="cpu").cuda()
    pageable, pinned = torch.ones(1000, device="cpu"), torch.ones(1000, device="cpu").pin_memory()
    empty, event = torch.empty(1000, pin_memory=True), torch.cuda.Event()
    return {
        "one.item()": lambda: one.item(),
        "x.tolist()": lambda: x.tolist(),
        "x.cpu()": lambda: x.cpu(),
        'x.to("cpu", non_blocking=True)': lambda: x.to("cpu", non_blocking=True),
        "empty.copy_(x)": lambda: empty.copy_(x),
        "empty.copy_(x, non_blocking=True)": lambda: empty.copy_(x, non_blocking=True),
        "pageable.cuda()": lambda: pageable.cuda(),
        "pinned.cuda()": lambda: pinned.cuda(),
        "pinned.cuda(non_blocking=True)": lambda: pinned.cuda(non_blocking=True),
        "torch.tensor([1.0])": lambda: torch.tensor([1.0], device="cuda"),
        "torch.full((1,), 1.0)": lambda: torch.full((1,), 1.0, device="cuda"),
        "y[0] = 1.0": lambda: y.__setitem__(0, 1.0),
        "y[0:1] = 1.0": lambda: y.__setitem__(slice(0, 1), 1.0),
        "y[0].fill_(1.0)": lambda: y[0].fill_(1.0),
        "y[[0, 5]]": lambda: y[[0, 5]],
        "y[mask] = 1.0": lambda: y.__setitem__(mask, 1.0),
        "event.record()": lambda: event.record(),
        "event.synchronize()": lambda: (event.record(), event.synchronize()),
        "torch.cuda.synchronize()": lambda: torch.cuda.synchronize(),
    }


# endregion


def asked() -> dict:
    """These read what a kernel has computed, so it is only asked whether they are told."""
    x, mask = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda") > 0.5
    index, one = torch.arange(5, device="cuda"), torch.rand(1, device="cuda")
    x.grad = torch.rand(1000, device="cuda")
    return {
        "if x[0] > 0": lambda: bool(x[0] > 0),
        "print(x)": lambda: str(x),
        "x[mask]": lambda: x[mask],
        "x[mask] = one": lambda: x.__setitem__(mask, one),
        "mask.nonzero()": lambda: mask.nonzero(),
        "x.where(mask, 0)": lambda: x.where(mask, 0),
        "x[index]": lambda: x[index],
        "x[index] = 1.0": lambda: x.__setitem__(index, 1.0),
        "x[index[0]]": lambda: x[index[0]],
        "one_hot(index)": lambda: torch.nn.functional.one_hot(index),
        "one_hot(index, 5)": lambda: torch.nn.functional.one_hot(index, 5),
        "clip_grad_norm_([x], 1)": lambda: torch.nn.utils.clip_grad_norm_([x], 1),
    }


def main() -> None:
    warnings.simplefilter("ignore")  # that the mode does not see all waits, which is seen below
    for name, work in lines().items():
        print(f"{name:36}{waited(work):9}{told(work)}")
    print("read what was computed:")
    for name, work in asked().items():
        print(f"{name:45}{told(work)}")


if __name__ == "__main__":
    main()
