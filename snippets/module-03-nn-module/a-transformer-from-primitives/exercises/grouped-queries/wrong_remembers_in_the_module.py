"""Keeps what it has seen in the module too, and reads that: two sequences that take turns get mixed up."""

import torch
from solution import GroupedAttention as Right
from torch import Tensor


class GroupedAttention(Right):
    def forward(self, x: Tensor, cache: dict[str, Tensor] | None = None) -> Tensor:
        q = self.q(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
        k, v = (part.unflatten(-1, (self.groups, -1)).transpose(1, 2) for part in self.kv(x).chunk(2, -1))
        if cache is not None:
            if cache:
                k, v = torch.cat([self.seen[0], k], 2), torch.cat([self.seen[1], v], 2)
            cache.update(k=k, v=v)
            self.seen = k, v
        k, v = (each.repeat_interleave(self.heads // self.groups, 1) for each in (k, v))
        return self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))
