"""What this article says of scalers, clipping and accumulation, counted."""

from itertools import product
from typing import Any

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted, optimizers
from torch import nn

Case = tuple[type, dict[str, Any]]
CALLS = "scale", "unscale_", "step", "update"


def weight() -> nn.Parameter:
    return nn.Parameter(torch.ones(2, 2, device="cpu"))


def new_scaler() -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", init_scale=4.0)


def backward(case: Case, scaler: torch.amp.GradScaler, moved: nn.Parameter, value: float) -> None:
    """Put a scaled gradient of `value` everywhere into `.grad`, in the layout that the optimizer takes."""
    moved.grad = None
    scaler.scale((moved * value).sum()).backward()
    if issubclass(case[0], torch.optim.SparseAdam):
        moved.grad = moved.grad.to_sparse()


def update(case: Case, optimizer: torch.optim.Optimizer, moved: nn.Parameter, *values: float) -> None:
    """One update for each value; L-BFGS is given a closure, which only tells a loss."""
    scaler = new_scaler()
    closure = [lambda: torch.ones((), device="cpu")] if case[0] is torch.optim.LBFGS else []
    for value in values:
        backward(case, scaler, moved, value)
        scaler.step(optimizer, *closure)
        scaler.update()


def implementations() -> dict[str, Case]:
    """Each optimizer as it is made by default, each again with momentum or fused where it takes them."""
    found: dict[str, Case] = {}
    for name, kind in optimizers().items():
        found[name] = (kind, {})
        for more in ({"momentum": 0.9}, {"fused": True}, {"fused": True, "momentum": 0.9}):
            try:
                kind([weight()], **more)
            except (TypeError, RuntimeError):
                continue
            words = [word if value is True else f"{word}={value}" for word, value in more.items()]
            found[" ".join((name, *words))] = (kind, more)
    return found


class StepsAnyway(torch.optim.SGD):
    """Says that it takes the scale itself, and does not."""

    _step_supports_amp_scaling = True

    def step(self, closure: Any = None) -> None:
        del self.grad_scale, self.found_inf
        super().step()
        self.grad_scale = self.found_inf = None


def flat(value: Any) -> list[torch.Tensor]:
    """The tensors in nested dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for entry in value for tensor in flat(entry)] if isinstance(value, list) else []


@counted(implementations, planted=lambda: (StepsAnyway, {"momentum": 0.9}), minimum=15)
def declined_leaves_all(case: Case) -> bool:
    """After a good step, a step that found an infinity leaves the weight and each tensor of the state."""
    kind, given = case
    moved = weight()
    optimizer = kind([moved], **given)
    update(case, optimizer, moved, 0.5)
    before = [tensor.detach().clone() for tensor in (moved, *flat(list(optimizer.state.values())))]
    update(case, optimizer, moved, float("inf"))
    after = [moved.detach(), *flat(list(optimizer.state.values()))]
    same = [torch.equal(one, other) for one, other in zip(before, after, strict=True)]
    return not torch.equal(moved, weight()) and all(same)


@counted(implementations, planted=lambda: (StepsAnyway, {"momentum": 0.9}), minimum=15)
def declined_at_first(case: Case) -> bool:
    """Two good steps are the same whether a step that found an infinity came before them or not."""
    kind, given = case
    kept = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)  # memory that nobody has written to is filled with nan
    try:
        weights = []
        for values in (0.5, 0.25), (float("inf"), 0.5, 0.25):
            moved = weight()
            update(case, kind([moved], **given), moved, *values)
            weights.append(moved.detach())
    finally:
        torch.use_deterministic_algorithms(kept)
    return torch.equal(*weights) and not torch.equal(weights[0], weight())


@counted(implementations, planted=lambda: (StepsAnyway, {}), minimum=15)
def not_called_on_infinity(case: Case) -> bool:
    """When an infinity is found, the optimizer's `step` is not called."""
    kind, given = case
    moved, calls = weight(), []
    optimizer = kind([moved], **given)
    optimizer.register_step_pre_hook(lambda *arguments: calls.append(1))
    update(case, optimizer, moved, float("inf"))
    return not calls


def sequences() -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """Each sequence of up to five calls that begins with a scaled backward."""
    found = {}
    for length in range(5):
        for rest in product(CALLS, repeat=length):
            found[" ".join(("scale", *rest))] = (("scale", *rest), frozenset())
    return found


def refused(calls: tuple[str, ...], allowed: frozenset[str]) -> int | None:
    """Which call is the first to be refused, by three words of memory: ready, unscaled, stepped."""
    stage = "ready"
    for number, call in enumerate(calls):
        if call == "unscale_" and stage != "ready" and "twice" not in allowed:
            return number
        if call == "step" and stage == "stepped":
            return number
        if call == "update" and stage == "ready":
            return number
        stage = {"scale": stage, "unscale_": "unscaled", "step": "stepped", "update": "ready"}[call]
    return None


@counted(sequences, planted=lambda: (("scale", "unscale_", "unscale_"), frozenset({"twice"})), minimum=300)
def stages_are_three(case: tuple[tuple[str, ...], frozenset[str]]) -> bool:
    """The call that a scaler refuses is the one that three stages refuse."""
    calls, allowed = case
    moved, scaler = weight(), new_scaler()
    optimizer = torch.optim.SGD([moved], lr=0.1)
    happened = None
    for number, call in enumerate(calls):
        try:
            if call == "scale":
                scaler.scale(moved.sum()).backward()
            else:
                getattr(scaler, call)(*([] if call == "update" else [optimizer]))
        except (AssertionError, RuntimeError):
            happened = number
            break
    return happened == refused(calls, allowed)


NUMBERS = st.floats(-8, 8, width=16).filter(lambda value: abs(value) > 1e-3)
GRADIENTS = st.lists(st.lists(NUMBERS, min_size=1, max_size=4), min_size=1, max_size=4)
CLIPPED = st.tuples(GRADIENTS, st.sampled_from([0.1, 1.0, 100.0]), st.just("clip_grad_norm_"))


@counted(
    cases(CLIPPED, count=300),
    planted=lambda: ([[1.0, 4.0], [3.0]], 1.0, "clip_grad_value_"),
    minimum=200,
)
def clipping_is_one_factor(case: tuple[list[list[float]], float, str]) -> bool:
    """All gradients are multiplied by one number, at most 1, and what is returned is the norm before."""
    gradients, limit, clip = case
    weights = [nn.Parameter(torch.zeros(len(one), device="cpu")) for one in gradients]
    for moved, one in zip(weights, gradients, strict=True):
        moved.grad = torch.tensor(one, device="cpu")
    before = torch.cat([moved.grad.double() for moved in weights])
    returned = getattr(nn.utils, clip)(weights, limit)
    after = torch.cat([moved.grad.double() for moved in weights])
    factor = min(1.0, limit / (before.norm().item() + 1e-6))
    right = (
        returned is not None and abs(returned.item() - before.norm().item()) <= 1e-5 * before.norm().item()
    )
    return right and torch.allclose(after, before * factor, rtol=1e-5, atol=0)


CHUNKED = st.integers(1, 5).flatmap(
    lambda size: st.lists(st.lists(NUMBERS, min_size=size, max_size=size), min_size=1, max_size=5)
)


@counted(cases(CHUNKED, count=300), planted=lambda: [[1.0, 2.0, 3.0], [6.0]], minimum=200)
def equal_chunks_agree(chunks: list[list[float]]) -> bool:
    """The means of chunks of one size, divided by their number, add up to the gradient of the whole."""
    whole, added = (nn.Parameter(torch.zeros((), device="cpu", dtype=torch.float64)) for _ in range(2))
    items = torch.tensor([item for chunk in chunks for item in chunk], device="cpu", dtype=torch.float64)
    ((whole * items - 2) ** 2).mean().backward()
    for chunk in chunks:
        part = torch.tensor(chunk, device="cpu", dtype=torch.float64)
        (((added * part - 2) ** 2).mean() / len(chunks)).backward()
    return torch.allclose(whole.grad, added.grad, rtol=1e-9, atol=1e-12)
