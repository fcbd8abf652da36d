"""One update: each chunk by its share, one unscaling, one clipping, one step."""

from torch import nn


def one_update(parameters, optimizer, scaler, chunks, loss_of_each, max_norm):
    optimizer.zero_grad()
    items = sum(len(chunk) for chunk in chunks)
    for chunk in chunks:
        scaler.scale(loss_of_each(chunk).sum() / items).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    return norm.item(), scaler.get_scale() >= before
