"""Each pair of kinds, one after the other and side by side: fused or not, and the reason in the log."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from scheduled import Scheduled, inputs, kept, scheduled

# region kinds
# What is made of a matrix m and a vector v: again a matrix of that size ...
FIRST = {
    "pointwise": lambda m, v: kept(m.sin()),
    "per row": lambda m, v: kept(m * v[:, None]),
    "row sum": lambda m, v: m.sum(1, keepdim=True).expand(m.shape),
    "column sum": lambda m, v: m.sum(0, keepdim=True).expand(m.shape),
    "sum of all": lambda m, v: m.sum().expand(m.shape),
    "index_add": lambda m, v: m.index_add(0, v.long(), m),
}
# ... and anything.
SECOND = {
    "pointwise": lambda m, v: m * 2,
    "row sum": lambda m, v: m.sum(1),
    "column sum": lambda m, v: m.sum(0),
    "sum of all": lambda m, v: m.sum(),
    "turned": lambda m, v: m.t().contiguous(),
    "rows": lambda m, v: m[:16] + 1,
}
# endregion
SIGNS = {
    "no shared data": "s",
    "memory deps did not match": "i",
    "numel/rnumel mismatch": "n",
    "nodes numel incompatibility": "n",
    "invalid tiling for reduction": "t",
    "": "-",
}


# region sign
def sign(run: Scheduled) -> str:
    """One letter: what became of the last two nodes."""
    if run.before[-2].name in run.after[-1]:
        return (
            "O" if run.kinds[-1] == "OuterLoopFusedSchedulerNode" else "F" if run.rounds[0][1] == 1 else "R"
        )
    last = tuple(node.name for node in run.before[-2:])
    (reason, *_) = [reason for *pair, _, reason in run.judged if tuple(pair) == last]
    return next(letter for text, letter in SIGNS.items() if reason.startswith(text))


# endregion


def one_after_the_other(first: Callable, second: Callable, device: str) -> str:
    """The second of what the first made."""
    return sign(scheduled(lambda m, v: second(first(m, v), v), *inputs(device)))


def side_by_side(first: Callable, second: Callable, device: str) -> str:
    """Both of the same matrix, in that order."""
    return sign(scheduled(lambda m, v: (first(m, v), second(m, v)), *inputs(device)))


def tables(device: str) -> None:
    """Prints both."""
    print("one after the other".ljust(20), *(name[:10].ljust(10) for name in SECOND))
    for name, first in FIRST.items():
        signs = [one_after_the_other(first, second, device) for second in SECOND.values()]
        print(f"{name:20}", *(letter.ljust(10) for letter in signs))
    print()
    print("side by side".ljust(20), *(name[:10].ljust(10) for name in SECOND))
    for name in SECOND:
        signs = [
            side_by_side(SECOND[name], SECOND[other], device) if name != other else "" for other in SECOND
        ]
        print(f"{name:20}", *(letter.ljust(10) for letter in signs))


if __name__ == "__main__":
    tables("cpu")
