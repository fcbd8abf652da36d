"""Attention in which several heads of queries share one head of keys and values."""

import torch
from torch import Tensor, nn


class GroupedAttention(nn.Module):
    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups = heads, groups
        self.q = nn.Linear(width, width)
        self.kv = nn.Linear(width, 2 * groups * (width // heads))
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, cache: dict[str, Tensor] | None = None) -> Tensor:
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (part.unflatten(-1, (self.groups, -1)).transpose(1, 2) for part in self.kv(x).chunk(2, -1))
        if cache is not None:
            if cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache.update(k=k, v=v)
        k, v = (each.repeat_interleave(self.heads // self.groups, 1) for each in (k, v))
        return self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        new, total = q.shape[-2], k.shape[-2]
        future = torch.ones(new, total, dtype=torch.bool).triu(total - new + 1)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        return scores.masked_fill(future, -torch.inf).softmax(-1) @ v
