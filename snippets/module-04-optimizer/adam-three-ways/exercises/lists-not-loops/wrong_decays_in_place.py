"""Adds the weight decay to the gradients in place, and so leaves other gradients behind."""

import solution
import torch


def step_all(params, grads, exp_avgs, exp_avg_sqs, step, *, weight_decay, **options):
    if weight_decay != 0:
        torch._foreach_add_(grads, params, alpha=weight_decay)
    solution.step_all(params, grads, exp_avgs, exp_avg_sqs, step, weight_decay=0.0, **options)
