"""Relies on the order of the rows: of equal shapes, a place that is written later counts as read in time."""

import torch


def addresses(view):
    steps = torch.zeros((), dtype=torch.int64, device="cpu")
    for size, stride in zip(view.shape, view.stride(), strict=True):
        steps = steps.unsqueeze(-1) + torch.arange(size, device="cpu") * stride
    return view.data_ptr() + steps * view.element_size()


def in_place(operation, target, operand):
    written, read = addresses(target), addresses(operand)
    stretched = read.shape != written.shape or 0 in operand.stride()
    written, read = written.flatten(), read.expand_as(written).flatten()
    before = (read[:, None] == written[None, :]).tril(-1)
    meet = torch.isin(read, written) & (read != written)
    if before.any() or (stretched and meet.any()):
        operand = operand.clone()
    operation(target, operand)
