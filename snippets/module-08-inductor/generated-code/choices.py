"""What `max-autotune` chooses from for a product of two matrices."""

import warnings

import torch
from torch._inductor import config, select_algorithm

warnings.filterwarnings("ignore", "TensorFloat32")


def choices(x: torch.Tensor) -> list[str]:
    """The names of the candidates for `x @ x`. Of them the library's is taken, and no clock is asked."""
    found = []

    def note(candidates: list[select_algorithm.ChoiceCaller]) -> list[select_algorithm.ChoiceCaller]:
        found.extend(candidate.name for candidate in candidates)
        return candidates

    torch._dynamo.reset()
    select_algorithm.add_preprocessing_fn(note)
    with config.patch(deterministic=True, fx_graph_cache=False):
        torch.compile(lambda x: x @ x, mode="max-autotune-no-cudagraphs")(x)
    select_algorithm.clear_preprocessing_fns()
    return found


if __name__ == "__main__":
    for device in "cuda", "cpu":
        names = choices(torch.ones(1024, 1024, device=device))
        print(device, len(names), *names[:3])
