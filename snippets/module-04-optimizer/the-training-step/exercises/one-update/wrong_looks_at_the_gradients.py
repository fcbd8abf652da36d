"""Takes an infinite gradient for a declined step, where the scaler is switched off and declines nothing."""

from torch import nn


def one_update(parameters, optimizer, scaler, chunks, loss_of_each, max_norm):
    optimizer.zero_grad()
    items = sum(len(chunk) for chunk in chunks)
    for chunk in chunks:
        scaler.scale(loss_of_each(chunk).sum() / items).backward()
    scaler.unscale_(optimizer)
    finite = all(weight.grad.isfinite().all().item() for weight in parameters)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    scaler.step(optimizer)
    scaler.update()
    return norm.item(), finite
