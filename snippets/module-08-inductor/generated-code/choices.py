"""What `max-autotune` chooses from for a product of two matrices."""

import warnings
from collections.abc import Callable

import torch
from torch._inductor import config, select_algorithm

warnings.filterwarnings("ignore", "TensorFloat32")


class Product(torch.nn.Module):
    """By a matrix that is a buffer of the module."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("matrix", torch.ones(1024, 1024))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The product."""
        return x @ self.matrix


def choices(function: Callable, x: torch.Tensor, **settings: object) -> list[str]:
    """The names of the candidates for a product. One is taken, and no clock is asked."""
    found = []

    def note(candidates: list[select_algorithm.ChoiceCaller]) -> list[select_algorithm.ChoiceCaller]:
        found.extend(candidate.name for candidate in candidates)
        return candidates

    torch._dynamo.reset()
    select_algorithm.add_preprocessing_fn(note)
    with torch.no_grad(), config.patch(deterministic=True, fx_graph_cache=False, **settings):
        torch.compile(function, mode="max-autotune-no-cudagraphs")(x)
    select_algorithm.clear_preprocessing_fns()
    return found


if __name__ == "__main__":
    for device in "cuda", "cpu":
        names = choices(lambda x: x @ x, torch.ones(1024, 1024, device=device))
        print(device, len(names), *names[:3])
    for frozen in False, True:
        names = choices(Product().eval(), torch.ones(1024, 1024), freezing=frozen)
        written = any(name.startswith("cpp_") for name in names)
        print("cpu, a buffer,", "frozen:" if frozen else "as it is:", "C++" if written else names)
