"""What TorchScript says to three pieces of ordinary Python."""

import warnings

import torch

warnings.simplefilter("ignore")


def scale(x, **options):
    """Takes keyword arguments."""
    return x * options["by"]


def distinct(x):
    """Builds a set."""
    return x * len({size for size in x.shape})


def load(x):
    """Opens a file."""
    with open("bias.txt") as file:
        return x + float(file.read())


if __name__ == "__main__":
    for function in (scale, distinct, load):
        try:
            torch.jit.script(function)
        except Exception as error:
            print(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}")
