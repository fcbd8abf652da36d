"""What one more stop costs: three numbers added with and without a visit to the kernel of autograd."""

from timeit import timeit

import torch

CALLS = 2_000  # in one timing
ROUNDS = 61  # timings of each way, taken in turn


def measure():
    """The best time of each way is kept, since whatever else the machine does only adds to a timing."""
    x = torch.ones(3)

    def seconds():
        return timeit("x + x", globals={"x": x}, number=CALLS)

    visiting, passing = [], []
    with torch.no_grad():
        for _ in range(ROUNDS):
            visiting.append(seconds())
            with torch._C._AutoDispatchBelowAutograd():
                passing.append(seconds())
    return {"visiting_over_passing": round(min(visiting) / min(passing), 3)}


if __name__ == "__main__":
    print(measure())
