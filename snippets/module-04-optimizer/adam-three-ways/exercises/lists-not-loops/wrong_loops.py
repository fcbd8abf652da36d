"""Calls the operators on lists with lists of one, so the number of calls grows with the parameters."""

import solution


def step_all(params, grads, exp_avgs, exp_avg_sqs, step, **options):
    for one in zip(params, grads, exp_avgs, exp_avg_sqs, strict=True):
        solution.step_all(*([tensor] for tensor in one), step, **options)
