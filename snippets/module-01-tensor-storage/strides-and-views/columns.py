"""What makes the columns of a turned matrix dear: how many numbers they have, or how far apart these lie."""

import torch
from cost import seconds


# region columns
def turned_over_plain(length: int, apart: int) -> float:
    """The time of x + y.T over that of x + z, where y has so many rows, that many numbers apart."""
    x, y, z = torch.rand(apart, length), torch.rand(length, apart), torch.rand(apart, length)
    out, turned = torch.empty(apart, length), y.T
    plain, one = seconds(lambda: torch.add(x, z, out=out), lambda: torch.add(x, turned, out=out))
    return one / plain


# endregion


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    return {
        "far_512": turned_over_plain(512, 2064),
        "far_1024": turned_over_plain(1024, 2064),
        "far_2064": turned_over_plain(2064, 2064),
        "half_2064": turned_over_plain(2064, 1040),
        "near_2064": turned_over_plain(2064, 144),
    }


if __name__ == "__main__":
    print(measure())
