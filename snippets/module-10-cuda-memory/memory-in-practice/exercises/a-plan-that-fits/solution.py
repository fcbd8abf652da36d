"""All plans, those that run fewer layers again before the others."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from account import Layer, Run, peak_of


def plans(layers: int) -> Iterator[list[Run]]:
    """Each way to cut so many layers into runs, each inside a checkpoint or not."""
    if not layers:
        yield []
    for first in range(1, layers + 1):
        for checkpointed in False, True:
            for rest in plans(layers - first):
                yield [Run(first, checkpointed), *rest]


def run_again(plan: Sequence[Run]) -> int:
    return sum(run.layers for run in plan if run.checkpointed)


def cheapest(chain: Sequence[Layer], budget: int) -> list[Run] | None:
    for plan in sorted(plans(len(chain)), key=run_again):
        if peak_of(chain, plan) <= budget:
            return plan
    return None
