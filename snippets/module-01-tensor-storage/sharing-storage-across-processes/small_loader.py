"""A loader of our own, of workers and queues, held against `DataLoader`."""

import itertools
import multiprocessing
import time
from collections.abc import Iterator, Sequence
from multiprocessing.queues import Queue
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

worker = -1


def be(number: int) -> None:
    """This process is the worker of that number."""
    global worker
    worker = number


class Squares(Dataset[torch.Tensor]):
    """A number, its square, and the worker that made them; one of the workers is slow."""

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(0.1 if worker == 1 and index < 8 else 0)
        return torch.tensor([index, index**2, worker])

    def __len__(self) -> int:
        return 40


# region loader
def work(number: int, dataset: Dataset[torch.Tensor], tasks: "Queue[Any]", done: "Queue[Any]") -> None:
    be(number)
    torch.set_num_threads(1)
    while (task := tasks.get()) is not None:
        batch, indices = task
        done.put((batch, torch.stack([dataset[index] for index in indices])))


def load(
    dataset: Dataset[torch.Tensor], batches: Sequence[list[int]], workers: int
) -> Iterator[torch.Tensor]:
    context = multiprocessing.get_context("fork")
    done = context.Queue()
    queues = [context.Queue() for _ in range(workers)]
    children = [
        context.Process(target=work, args=(number, dataset, tasks, done), daemon=True)
        for number, tasks in enumerate(queues)
    ]
    for child in children:
        child.start()
    tasks = zip(itertools.cycle(queues), enumerate(batches))
    for queue, task in itertools.islice(tasks, 2 * workers):
        queue.put(task)
    early: dict[int, torch.Tensor] = {}
    for number in range(len(batches)):
        while number not in early:
            batch, tensor = done.get()
            early[batch] = tensor
        for queue, task in itertools.islice(tasks, 1):
            queue.put(task)
        yield early.pop(number)
    for queue in queues:
        queue.put(None)
    for child in children:
        child.join()


# endregion

if __name__ == "__main__":
    batches = torch.arange(40).reshape(10, 4).tolist()
    for workers in 1, 2:
        ours = list(load(Squares(), batches, workers))
        theirs = list(DataLoader(Squares(), batch_sampler=batches, num_workers=workers, worker_init_fn=be))
        print("workers", sorted({int(batch[0, 2]) for batch in ours}), end="  ")
        print("the same batches, by the same workers:", all(map(torch.equal, ours, theirs)))
    print("made by", [int(batch[0, 2]) for batch in ours])
    print("shared:", ours[0].is_shared(), theirs[0].is_shared())
