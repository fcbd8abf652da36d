"""A decoder-only Transformer from `nn.Embedding`, `nn.Linear` and `nn.LayerNorm`, with a key-value cache.

Shapes: B sequences, T tokens that are fed, S tokens that are seen (those that are fed and those in the
cache), C the width, H heads, D = C / H, V symbols.

Source: the decoder of "Attention Is All You Need" (arXiv 1706.03762) without its cross-attention, with the
norms in front of what they norm (arXiv 2002.04745). With equal weights a `Block` computes what
`nn.TransformerEncoderLayer(C, H, 4 * C, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)`
computes under a causal mask.

The other programs of this folder import it, and so does the test of the exercise.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


# region attention
def visible(new: int, total: int, device: torch.device | None = None) -> Tensor:
    """[T, S], true where a token may look: at itself and before. The T tokens are the last of the S."""
    return torch.ones(new, total, dtype=torch.bool, device=device).tril(total - new)


def by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention from products and a softmax: [B, H, T, D], [B, H, S, D] twice -> [B, H, T, D]."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])  # [B, H, T, S]
    future = ~visible(q.shape[-2], k.shape[-2], q.device)
    return scores.masked_fill(future, -math.inf).softmax(-1) @ v


def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same from `scaled_dot_product_attention`."""
    if q.shape[-2] == k.shape[-2]:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return F.scaled_dot_product_attention(q, k, v, visible(q.shape[-2], k.shape[-2], q.device))


Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
Cache = dict[str, Tensor]  # of one block: "k" and "v", [B, H, S, D]; empty at first


class Attention(nn.Module):
    """[B, T, C] -> [B, T, C]; a cache is read, and given the new keys and values."""

    def __init__(self, width: int, heads: int, attend: Attend = by_hand):
        super().__init__()
        self.heads, self.attend = heads, attend
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def split(self, x: Tensor) -> tuple[Tensor, ...]:
        """[B, T, C] -> queries, keys and values, each [B, H, T, D]."""
        parts = self.qkv(x).chunk(3, -1)
        return tuple(part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)

    def forward(self, x: Tensor, cache: Cache | None = None) -> Tensor:
        q, k, v = self.split(x)
        if cache is not None:
            if cache:
                k, v = torch.cat([cache["k"], k], 2), torch.cat([cache["v"], v], 2)
            cache.update(k=k, v=v)
        return self.out(self.attend(q, k, v).transpose(1, 2).flatten(2))


# endregion


# region decoder
class Block(nn.Module):
    """[B, T, C] -> [B, T, C]: attention, then two linear layers; both behind a norm, both added."""

    def __init__(self, width: int, heads: int, attend: Attend = by_hand):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, attend)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, cache: Cache | None = None) -> Tensor:
        x = x + self.attention(self.norm1(x), cache)
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    """Numbers of symbols [B, T] -> scores of the next symbol, at each of the T places, [B, T, V]."""

    def __init__(
        self, symbols: int, length: int, width: int, heads: int, blocks: int, attend: Attend = by_hand
    ):
        super().__init__()
        self.symbol, self.place = nn.Embedding(symbols, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads, attend) for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, symbols, bias=False)

    def caches(self) -> list[Cache]:
        """An empty cache for each block."""
        return [{} for _ in self.blocks]

    def forward(self, tokens: Tensor, caches: list[Cache] | None = None) -> Tensor:
        before = caches[0]["k"].shape[2] if caches and caches[0] else 0
        places = torch.arange(before, before + tokens.shape[1], device=tokens.device)
        x = self.symbol(tokens) + self.place(places)
        for block, cache in zip(self.blocks, caches or [None] * len(self.blocks), strict=True):
            x = block(x, cache)
        return self.head(self.norm(x))


@torch.no_grad()
def generate(model: Decoder, tokens: Tensor, count: int, cached: bool = True) -> Tensor:
    """The likeliest symbol, `count` times: [B, T] -> [B, T + count]."""
    caches, fed = model.caches() if cached else None, tokens
    for _ in range(count):
        best = model(fed, caches)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, best], 1)
        fed = best if cached else tokens
    return tokens


# endregion


if __name__ == "__main__":
    model = Decoder(symbols=40, length=64, width=64, heads=4, blocks=2)
    tokens = torch.randint(40, (2, 8))
    scores = model(tokens)
    print("tokens", list(tokens.shape), "-> scores", list(scores.shape))
    for name, module in model.named_children():
        print(f"{name:7} {sum(each.numel() for each in module.parameters()):6} parameters")
    later = tokens.clone()
    later[:, 5] += 1 - 2 * (later[:, 5] == 39).long()
    same = (model(later) - scores).abs().amax((0, 2)) < 1e-6
    print("scores that did not change with symbol 5:", same.tolist())
    caches = model.caches()
    parts = torch.cat([model(part, caches) for part in tokens.split([4, 1, 3], 1)], 1)
    print("in three parts, with a cache, the same:", torch.allclose(parts, scores, atol=1e-5))
