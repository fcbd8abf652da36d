"""Divides the mean of each chunk by the number of chunks, so that items of a small chunk weigh more."""

from torch import nn


def one_update(parameters, optimizer, scaler, chunks, loss_of_each, max_norm):
    optimizer.zero_grad()
    for chunk in chunks:
        scaler.scale(loss_of_each(chunk).mean() / len(chunks)).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return norm.item(), scaler.get_scale() >= before
