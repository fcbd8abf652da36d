"""A worker's function ends in one way or another. What does the main process say?"""

import gc
import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset

busy = multiprocessing.get_context("fork").Event()


def raises() -> None:
    raise ValueError("no such picture")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed_later() -> None:
    busy.wait()
    killed()


def bus_error() -> None:
    os.kill(os.getpid(), signal.SIGBUS)


def exit_3() -> None:
    os._exit(3)


def exit_0() -> None:
    os._exit(0)


def terminated() -> None:
    busy.wait()


class Ends(Dataset[torch.Tensor]):
    def __init__(self, end: Callable[[], None]) -> None:
        self.end = end

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 2:
            time.sleep(0.2)  # what came before has been sent
            self.end()
        return torch.ones(2)

    def __len__(self) -> int:
        return 3


def told(end: Callable[[], None]) -> list[str]:
    """The first sentence of the error and of its cause."""
    batches = iter(DataLoader(Ends(end), num_workers=1))
    try:
        if end is terminated:
            next(batches)
            (child,) = multiprocessing.active_children()
            child.terminate()
            child.join()
            return [f"status {child.exitcode}"]
        if end is killed_later:
            next(batches)
            busy.set()
            time.sleep(60)  # not waiting for a batch
        list(batches)
    except Exception as error:
        causes = [error, *([error.__cause__] if error.__cause__ else [])]
        return [re.sub(r"\d{2,}", "…", re.split(r"\.\s", str(one) or repr(one))[0]) for one in causes]
    return ["no error"]


if __name__ == "__main__":
    with ThreadPoolExecutor(1) as pool:  # first, for there is no handler yet
        lines = pool.submit(told, killed).result()
        print("killed, told to another thread", *lines, sep="\n    ", flush=True)
    gc.collect()
    for end in raises, killed, killed_later, bus_error, exit_3, exit_0, terminated:
        print(end.__name__, *told(end), sep="\n    ", flush=True)
        gc.collect()
