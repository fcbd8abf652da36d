"""A child process writes to a tensor. Does its parent see it?"""

import multiprocessing

import torch


def write(tensor: torch.Tensor) -> None:
    tensor[:3] = 999


if __name__ == "__main__":
    for before in False, True:
        for method in "fork", "spawn":
            data = torch.tensor([1, 3, 5, 7])
            if before:
                data.share_memory_()
            child = multiprocessing.get_context(method).Process(target=write, args=(data,))
            child.start()
            child.join()
            print(f"{method:5}  shared before: {before!s:5}  {data.tolist()}  shared now: {data.is_shared()}")
