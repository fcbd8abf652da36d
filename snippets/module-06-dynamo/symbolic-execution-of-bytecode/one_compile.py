"""One function with an effect, compiled."""

import torch
import torch._dynamo.backends.debugging
import torch._dynamo.convert_frame

kept: list[int] = []


# region path
def shifted(x: torch.Tensor) -> torch.Tensor:
    """What is called from the compiled function."""
    return x + 1


def noted(x: torch.Tensor, times: int) -> torch.Tensor:
    """A write to a list, a call, and a product."""
    kept.append(times)
    return shifted(x) * times


def path() -> torch.Tensor:
    """Compiled, and called once."""
    return torch.compile(noted, backend="eager")(torch.ones(2), 3)


# endregion

if __name__ == "__main__":
    print(path(), kept)
