"""A message is read after its sender has ended."""

import os
import time

import torch
import torch.multiprocessing as mp


# region outcome
def send(queue: "mp.Queue[torch.Tensor]") -> None:
    queue.put(torch.ones(3))


def outcome(strategy: str) -> str:
    mp.set_sharing_strategy(strategy)
    context = mp.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=send, args=(queue,))
    child.start()
    child.join()
    for _ in range(40):  # two seconds for what tidies up after the child
        if not any(name.startswith(f"torch_{child.pid}_") for name in os.listdir("/dev/shm")):
            break
        time.sleep(0.05)
    try:
        return str(queue.get())
    except (OSError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


# endregion

if __name__ == "__main__":
    print("file_descriptor                ", outcome("file_descriptor"))
    print("file_system                    ", outcome("file_system"))
    own = torch.ones(1).share_memory_()
    print("file_system, we too have shared", outcome("file_system"))
