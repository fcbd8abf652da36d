"""Whether a view of another shape exists, and with which strides, asked of our own procedure and of torch."""

from collections.abc import Sequence
from itertools import product

import torch

Shape = Sequence[int]


# region decide
def view_strides(
    sizes: Sequence[int], strides: Sequence[int], wanted: Sequence[int]
) -> tuple[int, ...] | None:
    """The strides that make a tensor look like the wanted sizes, or None; the numbers are as many, not 0."""
    if not sizes:
        return (1,) * len(wanted)
    left, made = list(wanted), []
    step, length = strides[-1], 1  # of the run of dimensions that is looked at
    for d in reversed(range(len(sizes))):
        length *= sizes[d]
        if d and (sizes[d - 1] == 1 or strides[d - 1] == length * step):
            continue  # the dimension before it goes on where this run ends
        taken = 1
        while left and (taken < length or left[-1] == 1):
            made.append(taken * step)
            taken *= left.pop()
        if taken != length:
            return None  # a wanted dimension would reach into the next run
        step, length = strides[d - 1], 1
    return tuple(reversed(made))


# endregion


def of_torch(tensor: torch.Tensor, wanted: Shape) -> tuple[int, ...] | None:
    """What torch says to the same question."""
    try:
        return tensor.view(*wanted).stride()
    except RuntimeError:
        return None


if __name__ == "__main__":
    x = torch.arange(12.0).reshape(3, 4)
    tensors = {"x": x, "x.T": x.T, "x[:, ::2]": x[:, ::2], "x[:, :2]": x[:, :2], "x[:, 1]": x[:, 1]}
    shapes = [(12,), (4, 3), (2, 2, 3), (6,), (3, 2, 1), (2, 3), (3, 1)]
    print(f"{'':10} {'size':7} {'stride':7}", *(f"{wanted!s:9}" for wanted in shapes))
    for name, tensor in tensors.items():
        cells = []
        for wanted in shapes:
            same = torch.Size(wanted).numel() == tensor.numel()
            found = view_strides(tensor.shape, tensor.stride(), wanted) if same else "-"
            assert not same or found == of_torch(tensor, wanted)
            cells.append(f"{found!s:9}")
        print(f"{name:10} {tuple(tensor.shape)!s:7} {tensor.stride()!s:7}", *cells)
    agreed = sum(
        view_strides(sizes, strides, wanted) == of_torch(torch.ones(36).as_strided(sizes, strides), wanted)
        for sizes in [(2, 6), (3, 4), (12, 1), (2, 2, 3)]
        for strides in product((1, 2, 3, 6), repeat=len(sizes))
        if sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True)) < 36
        for wanted in [(12,), (6, 2), (3, 4), (2, 3, 2), (12, 1)]
    )
    print(agreed, "questions had the same answer")
