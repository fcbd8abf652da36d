"""What it costs to read memory in another order, with gaps, or again and again."""

import time
from collections.abc import Callable

import torch


# region time
def seconds(*calls: Callable[[], object]) -> list[float]:
    """The least time of each of the calls, taken in turn."""
    rounds = []
    for _ in range(30):
        times = []
        for call in calls:
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        rounds.append(times)
    return [min(column) for column in zip(*rounds, strict=True)]


# endregion


# region orders
def orders(side: int) -> dict[str, float]:
    """Square matrices in both orders, each time over that of the plain one."""
    x, y, out = torch.rand(side, side), torch.rand(side, side), torch.empty(side, side)
    x_turned, y_turned, out_turned = x.T, y.T, out.T
    cut, out_cut = x[:, :-1].T, out[:-1]  # a column of the memory is left out
    plain, both, one, first, copied, copied_cut, clone, product, turned = seconds(
        lambda: torch.add(x, y, out=out),
        lambda: torch.add(x_turned, y_turned, out=out_turned),
        lambda: torch.add(x, y_turned, out=out),
        lambda: torch.add(x, y_turned.contiguous(), out=out),
        lambda: out.copy_(x_turned),
        lambda: out_cut.copy_(cut),
        lambda: out.copy_(x),
        lambda: torch.mm(x, y, out=out),
        lambda: torch.mm(x, y_turned, out=out),
    )
    return {
        "both_turned": both / plain,
        "one_turned": one / plain,
        "copied_first": first / plain,
        "copy_turned": copied / clone,
        "copy_cut": copied_cut / clone,
        "product_turned": turned / product,
    }


# endregion


# region gaps
def gaps() -> dict[str, float]:
    """The time of a sum of 2**16 numbers that lie so far apart, over that of numbers in a row."""
    memory = torch.rand(2**16 * 64)
    row, *spread = (memory[: 2**16 * step : step] for step in (1, 2, 16, 64))
    least, *times = seconds(row.sum, *(one.sum for one in spread))
    return {f"gap_{step}": taken / least for step, taken in zip((2, 16, 64), times, strict=True)}


# endregion


# region again
def again() -> dict[str, float]:
    """A row that is read for each of 4,096 others, over a matrix that holds it so many times."""
    x, row = torch.rand(4096, 1024), torch.rand(1024)
    full, out = row.expand(4096, 1024).clone(), torch.empty(4096, 1024)
    repeated, whole, made = seconds(
        lambda: torch.add(x, row, out=out),
        lambda: torch.add(x, full, out=out),
        lambda: torch.add(x, row.expand(4096, 1024).clone(), out=out),
    )
    return {"repeated": repeated / whole, "made_first": made / whole}


# endregion


# region looks
def looks() -> dict[str, float]:
    """A view by `view`, by `reshape` and by `flatten`, over a clone of so many numbers."""
    x = torch.rand(64, 64, 64)

    def many(call: Callable[[], object]) -> Callable[[], None]:
        def calls() -> None:
            for _ in range(1000):
                call()

        return calls

    view, reshape, turned = seconds(
        many(lambda: x.view(64, 4096)),
        many(lambda: x.reshape(64, 4096)),
        many(lambda: x.transpose(0, 1)),
    )
    (copied,) = seconds(lambda: x.transpose(0, 1).reshape(64, 4096))
    return {
        "reshape_over_view": reshape / view,
        "copy_over_view": copied * 1000 / view,
        "turn": turned / view,
    }


# endregion


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    found = {f"{name}_{side}": ratio for side in (64, 2048, 2064) for name, ratio in orders(side).items()}
    return found | gaps() | again() | looks()


if __name__ == "__main__":
    print(measure())
