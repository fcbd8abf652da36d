"""A decoder of two blocks learns a short text by heart, symbol by symbol, and says a part of it."""

import math

import torch
from decoder import Decoder, fused, generate
from torch.nn import functional as F

LENGTH, BATCH, STEPS = 48, 16, 300
# region text
TEXT = """\
A tensor is a view of a storage. It has a shape, a stride for each dimension, and an offset. The storage has
the bytes, and knows nothing of rows or columns.

An operator is a name and a schema. What runs is a kernel. The dispatcher looks at the keys of the arguments,
and calls the kernel of the highest one.

The graph is made while the forward runs. Each result keeps the node that made it. The engine walks from the
loss to the leaves, where the gradient stays.
"""
# endregion
ALPHABET = sorted(set(TEXT))


# region data
def encode(text: str) -> torch.Tensor:
    """The numbers of the symbols: [T]."""
    return torch.tensor([ALPHABET.index(symbol) for symbol in text])


def batch(data: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Pieces of the text, and the same pieces one symbol later: [B, T] twice."""
    starts = torch.randint(len(data) - LENGTH, (BATCH, 1))
    pieces = data[starts + torch.arange(LENGTH + 1)]
    return pieces[:, :-1], pieces[:, 1:]


# endregion


# region train
def train(model: Decoder, steps: int) -> list[float]:
    """So many steps; returns their losses."""
    data, losses = encode(TEXT), []
    optimizer = torch.optim.AdamW(model.parameters(), lr=8e-3)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 8e-3 * (1 - step / steps)  # smaller and smaller steps
        tokens, targets = batch(data)
        loss = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# endregion


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Decoder(len(ALPHABET), LENGTH, width=64, heads=4, blocks=2, attend=fused)
    print(f"{len(TEXT)} symbols of text, {len(ALPHABET)} different")
    print(sum(each.numel() for each in model.parameters()), "parameters,", STEPS, "steps")
    losses = train(model, STEPS)
    last = sum(losses[-20:]) / 20
    print("the first loss is near that of a guess:", abs(losses[0] - math.log(len(ALPHABET))) < 0.5)
    print("the last are below a tenth of it:", last < losses[0] / 10)
    for start in (paragraph[:16] for paragraph in TEXT.split("\n\n")):
        said = generate(model, encode(start)[None], LENGTH - len(start))[0]
        said = "".join(ALPHABET[symbol] for symbol in said)
        print(f"{said!r} stands in the text: {said in TEXT}")
    data = encode(TEXT)
    pieces = data.unfold(0, LENGTH, 1)
    right = (generate(model, pieces[:, :16], LENGTH - 16) == pieces).all(1)
    print("goes on as the text does, from more than 4 of 5 places:", (right.float().mean() > 0.8).item())
