"""What this article says of all attention operators, and of shapes at large, counted."""

import torch
from decoder import Decoder, by_hand, fused
from hypothesis import strategies as some
from inside_torch.claims import cases, counted, operators
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry


def attention_operators() -> list[str]:
    """The operators of `aten` whose name speaks of attention or of a transformer."""
    return [name for name in operators() if "attention" in name or "transformer" in name]


@counted(
    attention_operators,
    planted="relu",
    minimum=20,
    exceptions="What they do is counted where they call products, or not at all.",
)
def attention_has_a_formula(name: str) -> bool:
    """An attention operator of `aten` has a formula in the registry of `FlopCounterMode`."""
    return getattr(torch.ops.aten, name.removeprefix("aten::")) in flop_registry


class Calls(TorchDispatchMode):
    """Notes the operators that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


@counted(cases(some.lists(some.integers(0, 4), max_size=6), count=200), planted="transposed")
def linear_is_one_addmm(shape: list[int] | str) -> bool:
    """`F.linear` on contiguous float32, its bias contiguous, of one dimension, is views and one `addmm`."""
    x = torch.ones(3, 2, 4).transpose(0, 1) if shape == "transposed" else torch.ones(*shape, 4)
    weight, bias = torch.ones(2, 4), torch.ones(2)
    with Calls() as calls:
        F.linear(x, weight, bias)
    return [name for name in calls.names if name not in ("t", "view")] == ["addmm"]


Sizes = tuple[int, int, int, int, int]


def sizes() -> some.SearchStrategy[Sizes]:
    """Batch, heads, new tokens, tokens before them, size of a head."""
    small = some.integers(1, 5)
    return some.tuples(small, small, some.integers(1, 9), some.integers(0, 9), some.integers(1, 16))


@counted(cases(sizes(), count=300), planted=(1, 1, 3, -1, 4))
def by_hand_is_the_operator(case: Sizes) -> bool:
    """`by_hand` gives what either way of the operator gives, to rounding, for T new tokens of S."""
    batch, heads, new, before, size = case
    torch.manual_seed(0)
    q = torch.randn(batch, heads, new, size)
    k, v = torch.randn(2, batch, heads, new + before, size)
    ours = by_hand(q, k, v)
    for kernel in SDPBackend.MATH, SDPBackend.FLASH_ATTENTION:
        with sdpa_kernel(kernel):
            if not torch.allclose(ours, fused(q, k, v), atol=1e-5):
                return False
    return True


def top_left(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """What `is_causal=True` means for fewer queries than keys."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


MODELS = {attend: Decoder(11, 24, 16, 2, 2, attend).double() for attend in (by_hand, top_left)}


@counted(
    cases(some.lists(some.integers(1, 6), min_size=2, max_size=4), count=80),
    planted=lambda: ([3, 2], top_left),
)
def a_cache_changes_nothing(case: list[int] | tuple) -> bool:
    """A sequence fed in parts, through a cache, gets the scores that it gets as a whole, to rounding."""
    parts, attend = case if isinstance(case, tuple) else (case, by_hand)
    model = MODELS[attend]
    torch.manual_seed(0)
    tokens = torch.randint(11, (2, sum(parts)))
    caches = model.caches()
    with torch.no_grad():
        fed = torch.cat([model(part, caches) for part in tokens.split(parts, 1)], 1)
        return torch.allclose(fed, model(tokens), atol=1e-10)
