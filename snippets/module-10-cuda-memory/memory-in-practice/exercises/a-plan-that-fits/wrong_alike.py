"""Takes runs of one length, all inside a checkpoint, as if runs had to be alike."""

from solution import Run, peak_of, run_again


def cheapest(chain, budget):
    whole = len(chain)
    plans = [[Run(whole, False)]]
    plans += [
        [Run(length, True)] * (whole // length) for length in range(1, whole + 1) if whole % length == 0
    ]
    for plan in sorted(plans, key=run_again):
        if peak_of(chain, plan) <= budget:
            return plan
    return None
