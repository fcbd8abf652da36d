"""Stacks each list to one tensor, which parameters of one shape alone allow."""

import solution
import torch


def step_all(params, grads, exp_avgs, exp_avg_sqs, step, **options):
    stacked = [torch.stack(tensors) for tensors in (params, grads, exp_avgs, exp_avg_sqs)]
    solution.step_all(*([tensor] for tensor in stacked), step, **options)
    for tensors, place in (params, 0), (exp_avgs, 2), (exp_avg_sqs, 3):
        torch._foreach_copy_(tensors, stacked[place].unbind())
