"""A message is read after its sender has ended."""

import multiprocessing.connection
import os
import re
import time
from typing import Any

import torch
import torch.multiprocessing as mp


# region outcome
def send(queue: "mp.Queue[torch.Tensor]") -> None:
    queue.put(torch.ones(3))
    queue.close()
    queue.join_thread()  # the message is in the pipe


def outcome(strategy: str, remove: bool = False) -> str:
    mp.set_sharing_strategy(strategy)
    context = mp.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=send, args=(queue,))
    child.start()
    child.join()
    for _ in range(40):  # two seconds for what tidies up after the child
        files = [name for name in os.listdir("/dev/shm") if name.startswith(f"torch_{child.pid}_")]
        for name in files if remove else []:
            os.unlink(f"/dev/shm/{name}")
        if not files:
            break
        time.sleep(0.05)
    try:
        return str(queue.get())
    except (OSError, RuntimeError) as error:
        return f"{type(error).__name__}: {re.sub('<.*>', '<…>', str(error).splitlines()[0])}"


# endregion


def ended(sender: int) -> None:
    while os.getppid() == sender:
        time.sleep(0.01)


class Until:
    """An argument that is read when its sender has ended; those behind it, still later."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ended, (os.getpid(),)


def answer(_: None, tensor: torch.Tensor, writer: "multiprocessing.connection.Connection[str, str]") -> None:
    writer.send(str(tensor))


def start(writer: "multiprocessing.connection.Connection[str, str]") -> None:
    mp.get_context("spawn").Process(target=answer, args=(Until(), torch.ones(3), writer)).start()
    os._exit(0)


def argument() -> str:
    """What a process of which the starter has ended finds in its arguments."""
    context = mp.get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=start, args=(writer,))
    child.start()
    child.join()
    writer.close()
    try:
        return str(reader.recv())
    except EOFError:
        return "nothing came"


if __name__ == "__main__":
    print("file_descriptor                   ", outcome("file_descriptor"))
    print("file_descriptor, argument of spawn", argument())
    print("file_system                       ", outcome("file_system"))
    own = torch.ones(1).share_memory_()
    print("file_system, we too have shared   ", outcome("file_system"))
    print("the same, and the file removed    ", outcome("file_system", remove=True))
