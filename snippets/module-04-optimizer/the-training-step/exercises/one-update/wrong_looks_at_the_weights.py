"""Takes weights that did not move for a step that was declined."""

from torch import nn


def one_update(parameters, optimizer, scaler, chunks, loss_of_each, max_norm):
    optimizer.zero_grad()
    items = sum(len(chunk) for chunk in chunks)
    for chunk in chunks:
        scaler.scale(loss_of_each(chunk).sum() / items).backward()
    scaler.unscale_(optimizer)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    before = [weight.detach().clone() for weight in parameters]
    scaler.step(optimizer)
    scaler.update()
    moved = not all(weight.equal(old) for weight, old in zip(parameters, before, strict=True))
    return norm.item(), moved
