"""What a plan has to be: whole, within the budget, and the cheapest that is."""

import sys
from itertools import product
from pathlib import Path

import pytest
from exercise import cheapest

sys.path.insert(0, str(Path(__file__).parents[2]))
from account import Layer, Run, peak_of

EVEN = [Layer(16, 4), Layer(16)] * 3
UNEVEN = [
    Layer(16, 15),
    Layer(64, keeps_output=True),
    Layer(24, keeps_output=True),
    Layer(24, 3),
    Layer(64, 1),
    Layer(16, 16),
]
# The smaller of its budgets takes three checkpoints, the larger a single one around four layers.
LONGER = [
    Layer(96, 4, keeps_output=True),
    Layer(32, 4, keeps_output=True),
    Layer(16),
    Layer(96, 1),
    Layer(32),
    Layer(64),
    Layer(64),
]
SHARES = [0.55, 0.65, 0.75, 0.85, 0.95]
CASES = [
    *(pytest.param(EVEN, share, id=f"even-{share}") for share in SHARES),
    *(pytest.param(UNEVEN, share, id=f"uneven-{share}") for share in SHARES),
]
LONGER_CASES = [pytest.param(LONGER, share, id=f"longer-{share}") for share in (0.7, 0.72)]


def least_run_again(chain, budget):
    """Each layer says whether it is checkpointed, and whether a run ends after it."""
    for flags in sorted(product((False, True), repeat=len(chain)), key=sum):
        for cuts in product((False, True), repeat=len(chain) - 1):
            plan, start = [], 0
            for end in (*(number + 1 for number, cut in enumerate(cuts) if cut), len(chain)):
                if len(set(flags[start:end])) == 2:
                    break
                plan.append(Run(end - start, flags[start]))
                start = end
            else:
                if peak_of(chain, plan) <= budget:
                    return sum(flags)
    return None


def test_where_everything_fits_nothing_runs_again():
    plan = cheapest(EVEN, peak_of(EVEN, [Run(len(EVEN), False)]))
    assert plan is not None and not any(run.checkpointed for run in plan)


def test_where_nothing_fits_there_is_no_plan():
    assert cheapest(EVEN, peak_of(EVEN, [Run(len(EVEN), False)]) // 4) is None


@pytest.mark.parametrize("chain, share", CASES)
def test_the_plan_is_whole_and_within_the_budget(chain, share):
    budget = int(share * peak_of(chain, [Run(len(chain), False)]))
    plan = cheapest(chain, budget)
    if plan is not None:
        assert sum(run.layers for run in plan) == len(chain), "each layer is in one run"
        assert peak_of(chain, plan) <= budget, "at the peak, and not only between forward and backward"


@pytest.mark.parametrize("chain, share", CASES + LONGER_CASES)
def test_no_plan_within_the_budget_runs_fewer_layers_again(chain, share):
    budget = int(share * peak_of(chain, [Run(len(chain), False)]))
    plan, least = cheapest(chain, budget), least_run_again(chain, budget)
    if least is None:
        assert plan is None
    else:
        assert plan is not None, "there is one; its runs need not be alike"
        assert sum(run.layers for run in plan if run.checkpointed) == least
