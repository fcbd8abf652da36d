"""How much dearer a turned matrix is at a side that is a power of two, with new matrices each time."""

import torch
from cost import seconds


# region sides
def turned_over_plain(side: int) -> float:
    """The time of x + y.T over that of x + z."""
    x, y, z, out = (torch.rand(side, side) for _ in range(4))
    turned = y.T
    plain, one = seconds(lambda: torch.add(x, z, out=out), lambda: torch.add(x, turned, out=out))
    return one / plain


# endregion


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    found = {}
    for side in (1024, 1040, 2048, 2064):
        ratios = [turned_over_plain(side) for _ in range(8)]
        found |= {f"least_{side}": min(ratios), f"most_{side}": max(ratios)}
    return found


if __name__ == "__main__":
    print(measure())
