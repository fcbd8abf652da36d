"""Takes the lists whole with a weight decay, and one parameter after the other without one."""

import solution


def step_all(params, grads, exp_avgs, exp_avg_sqs, step, *, weight_decay, **options):
    lists = params, grads, exp_avgs, exp_avg_sqs
    parts = [lists] if weight_decay else [[[tensor] for tensor in one] for one in zip(*lists, strict=True)]
    for part in parts:
        solution.step_all(*part, step, weight_decay=weight_decay, **options)
