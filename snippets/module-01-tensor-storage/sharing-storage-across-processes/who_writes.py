"""A child process writes to a tensor. Does its parent see it?"""

import multiprocessing

import torch


def write(tensor: torch.Tensor) -> None:
    tensor[:3] = 999


if __name__ == "__main__":
    for method in "fork", "spawn":
        data = torch.tensor([1, 3, 5, 7])
        child = multiprocessing.get_context(method).Process(target=write, args=(data,))
        child.start()
        child.join()
        print(f"{method:5}  {data.tolist()}  {data.is_shared()}")
