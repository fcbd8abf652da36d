"""Takes checkpoints around runs of one length, as if they had to be alike."""

from solution import peak_of, plans, run_again


def alike(plan):
    return len({run.layers for run in plan if run.checkpointed}) <= 1


def cheapest(chain, budget):
    for plan in sorted(filter(alike, plans(len(chain))), key=run_again):
        if peak_of(chain, plan) <= budget:
            return plan
    return None
