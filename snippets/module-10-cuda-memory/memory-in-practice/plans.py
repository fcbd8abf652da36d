"""Plans for the eight blocks of the page: the lowest peaks, by the account, for what runs again."""

from account import BLOCKS, MIB, Run, peak_of


def plans(blocks: int) -> list[tuple[Run, ...]]:
    """Each way to cut so many blocks of two layers into runs, each run inside a checkpoint or not."""
    if not blocks:
        return [()]
    return [
        (Run(2 * first, checkpointed), *rest)
        for first in range(1, blocks + 1)
        for checkpointed in (False, True)
        for rest in plans(blocks - first)
    ]


def peak(plan: tuple[Run, ...]) -> int:
    return peak_of(BLOCKS, plan)


def run_again(plan: tuple[Run, ...]) -> int:
    return sum(run.layers // 2 for run in plan if run.checkpointed)


def told(plan: tuple[Run, ...]) -> str:
    """A plan by the blocks of its runs; a run with no checkpoint stands in brackets."""
    return " ".join(f"{run.layers // 2}" if run.checkpointed else f"({run.layers // 2})" for run in plan)


def main() -> None:
    every = sorted(plans(len(BLOCKS) // 2), key=lambda plan: (run_again(plan), peak(plan), len(plan)))
    print(f"{len(every)} plans; those with a lower peak than any that runs fewer blocks again:")
    print("MiB  run again  plan")
    lowest = None
    for plan in every:
        if lowest is None or peak(plan) < lowest:
            lowest = peak(plan)
            print(f"{lowest // MIB:3}  {run_again(plan):9}  {told(plan)}")


if __name__ == "__main__":
    main()
