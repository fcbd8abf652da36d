"""Write attention in which several heads of queries share one head of keys and values."""

from torch import Tensor, nn


class GroupedAttention(nn.Module):
    """[B, T, C] -> [B, T, C], causal, with H heads of queries and G heads of keys and values.

    H is a multiple of G. Neighbours share: the first H / G heads of queries use the first head of keys and
    values.
    """

    def __init__(self, width: int, heads: int, groups: int) -> None:
        super().__init__()
        self.heads, self.groups = heads, groups
        self.q = nn.Linear(width, width)
        self.kv = nn.Linear(width, 2 * groups * (width // heads))  # first all keys, then all values
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, cache: dict[str, Tensor] | None = None) -> Tensor:
        """The cache is that of `decoder.Attention`, with G heads: "k" and "v", [B, G, S, D], or empty."""
        raise NotImplementedError
