"""What this article says of all sizes, orders and calls, counted."""

import random
import sys
from itertools import permutations, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).with_name("exercises") / "a-reducer"))

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from inside_torch.run.ranks import on_ranks
from solution import Reducer
from torch import distributed, nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torch.nn.parallel import DistributedDataParallel
from watch import LAYER, Layers, told, watched

KINDS = {torch.float32: 4, torch.float16: 2, torch.uint8: 1}


def assigned(tensors: list[tuple[int, torch.dtype]], caps: list[int]) -> list[list[int]]:
    """The buckets as the page tells of them: of one type, and closed when they have their cap."""
    closed, open_, number = [], {}, {}
    for index, (_, kind) in enumerate(tensors):
        bucket = open_.setdefault(kind, [])
        bucket.append(index)
        size = sum(tensors[each][0] * KINDS[kind] for each in bucket)
        if size >= caps[min(number.get(kind, 0), len(caps) - 1)]:
            closed.append(open_.pop(kind))
            number[kind] = number.get(kind, 0) + 1
    return sorted([*closed, *open_.values()], key=min)


tensors_and_caps = st.tuples(
    st.lists(st.tuples(st.integers(1, 9), st.sampled_from(list(KINDS))), min_size=1, max_size=9),
    st.lists(st.integers(1, 60), min_size=1, max_size=3),
)


def another_cap() -> tuple:
    return [(4, torch.float32)] * 2, [16], [17]


@counted(cases(tensors_and_caps, count=500), planted=another_cap)
def a_bucket_is_closed_at_its_cap(case: tuple) -> bool:
    """Tensors go to an open bucket of their type in turn, and what reaches its cap is closed."""
    tensors, caps, *others = case  # others: the caps that the planted case tells the model
    given = [torch.empty(count, dtype=kind, device="cpu") for count, kind in tensors]
    found = distributed._compute_bucket_assignment_by_size(given, caps)[0]
    return found == assigned(tensors, *others or [caps])


#: A forward by the wrapper, one within `no_sync`, one of the module itself, and a backward of the oldest.
CALLS = "ddp", "no_sync", "module", "backward"


def sequences() -> list[tuple[str, ...]]:
    """All that have as many forwards before each backward, end with one, and have up to five calls."""
    found = []
    for length in range(2, 6):
        for calls in product(CALLS, repeat=length):
            pending = [
                sum(-1 if call == "backward" else 1 for call in calls[: end + 1]) for end in range(length)
            ]
            if min(pending) >= 0 and calls[-1] == "backward":
                found.append(calls)
    return found


def grads(rank: int) -> list[float]:
    """The gradient that each sequence leaves on this rank: of x, which is 1 or 2, by a weight."""
    x, found = torch.full((1, 1), rank + 1.0), []
    for calls in sequences():
        ddp, losses = DistributedDataParallel(nn.Linear(1, 1, bias=False)), []
        for call in calls:
            if call == "ddp":
                losses.append(ddp(x).sum())
            elif call == "no_sync":
                with ddp.no_sync():
                    losses.append(ddp(x).sum())
            elif call == "module":
                losses.append(ddp.module(x).sum())
            else:
                losses.pop(0).backward()
        found.append(ddp.module.weight.grad.item())
    return found


def sequences_with_grads() -> dict[str, tuple]:
    one, other = on_ranks(grads)
    return {", ".join(calls): (calls, pair) for calls, *pair in zip(sequences(), one, other, strict=True)}


def by_the_flag(calls: tuple[str, ...]) -> list[float]:
    """A forward by the wrapper sets the flag, and the next backward clears it; nothing else counts."""
    flag, both = False, [0.0, 0.0]
    for call in calls:
        if call == "ddp":
            flag = True
        elif call == "backward":
            both = [grad + x for grad, x in zip(both, (1.0, 2.0), strict=True)]
            if flag:
                both = [sum(both) / 2] * 2
            flag = False
    return both


@counted(sequences_with_grads, planted=lambda: (("module", "backward"), [1.5, 1.5]), minimum=200)
def the_flag_decides(case: tuple) -> bool:
    """A backward is averaged if a synchronising forward came after the last averaged backward."""
    calls, pair = case
    return by_the_flag(calls) == pair


def in_turn(order: str) -> str:
    """What is noted when layers are used in this order, and buckets are sent in the order 3, 2, 1, 0."""
    lines, waiting = [], list("3210")
    for position in range(len(order)):
        lines.append(order[-1 - position])
        while waiting and waiting[0] in order[len(order) - 1 - position :]:
            lines.append(f"[{waiting.pop(0)}]")
    return " ".join(lines)


def notes(rank: int) -> list[str]:
    """After two steps in the order 0123, one in each order, which rank 1 takes in another sequence."""
    ddp, written = watched(Layers(), bucket_cap_mb=LAYER)
    found = []
    orders = ["".join(order) for order in permutations("0123")]
    for order in ["0123", "0123", *(orders if rank == 0 else orders[::-1])]:
        ddp(torch.ones(1, 8), order).sum().backward()
        found.append(told(written))
    return found[2:] if rank == 0 else found[:1:-1]


def orders() -> dict[str, tuple[str, list[str]]]:
    one, other = on_ranks(notes)
    each = ["".join(order) for order in permutations("0123")]
    return {order: (order, pair) for order, *pair in zip(each, one, other, strict=True)}


@counted(orders, planted=lambda: ("3210", ["0 [0] 1 [1] 2 [2] 3 [3]"] * 2), minimum=24)
def buckets_go_in_turn(case: tuple[str, list[str]]) -> bool:
    """Once rebuilt, buckets are sent in one sequence, each when it is full and all before it were sent."""
    order, pair = case
    return pair == [in_turn(order)] * 2


def sizes_and_caps() -> dict[str, tuple[int, int, int]]:
    return {
        f"{layers} layers of 1 MiB, a cap of {cap}": (layers, cap, -(-layers // cap))
        for layers in range(1, 7)
        for cap in range(1, 4)
    }


def one_for_all() -> tuple[int, int, int]:
    return 3, 1, 1


@counted(sizes_and_caps, planted=one_for_all, minimum=18, build="dry")
def two_waits_for_a_bucket(case: tuple[int, int, int]) -> bool:
    """Each bucket waits once for what computes, which waits for each bucket once, after the last product."""
    import launches

    layers, cap, buckets = case
    distributed.init_process_group(
        "nccl", store=distributed.HashStore(), rank=0, world_size=4, device_id=torch.device("cuda", 0)
    )
    net = nn.Sequential(*(nn.Linear(512, 512, bias=False) for _ in range(layers))).cuda()
    ddp, x = DistributedDataParallel(net, bucket_cap_mb=cap), torch.ones(8, 512, device="cuda")
    for _ in range(2):
        net.zero_grad()
        asked = launches.told(launches.calls(ddp, x))
    distributed.destroy_process_group()
    sides = [index for index, line in enumerate(asked) if ": all-reduce" in line]
    (side,) = {asked[index].split(":")[0] for index in sides}
    last = max(index for index, line in enumerate(asked) if line == "stream 0: product")
    back = [index for index, line in enumerate(asked) if line == f"stream 0 waits for {side}"]
    return (
        len(sides) == len(back) == buckets
        and all(asked[index - 1] == f"{side} waits for stream 0" for index in sides)
        and asked.count(f"{side} waits for stream 0") == buckets
        and back[0] > max(last, *sides)
    )


class Apart(nn.Module):
    """Layers that do not feed each other, of any sizes, used in any order."""

    def __init__(self, widths: list[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, 8, bias=False) for width in widths)

    def forward(self, x: torch.Tensor, order: list[int]) -> torch.Tensor:
        return sum(self.layers[index](x[:, : self.layers[index].in_features]).sum() for index in order)


def models() -> list[tuple[list[int], int, list[list[list[int]]]]]:
    """Widths of layers, a cap in bytes, and for each rank the orders in which three steps use the layers."""
    chance, found = random.Random(0), []
    for _ in range(60):
        count = chance.randint(1, 8)
        orders = [[chance.sample(range(count), count) for _ in range(3)] for _ in range(2)]
        found.append(([chance.randint(1, 20) for _ in range(count)], chance.randint(32, 1500), orders))
    return found


def by_both(rank: int) -> list[tuple[list, list, bool]]:
    """What DDP sends in three steps of each model, what the solution sends, and whether gradients agree."""
    found = []
    for widths, cap, orders in models():
        x = torch.full((1, 20), rank + 1.0)
        one, other = Apart(widths), Apart(widths)
        ddp = DistributedDataParallel(one, bucket_cap_mb=cap / (1 << 20))
        reducer = Reducer([layer.weight for layer in other.layers], [cap])
        place = {layer.weight: index for index, layer in enumerate(one.layers)}
        sent = []

        def send(_, bucket, place=place, sent=sent):
            sent.append([place[weight] for weight in bucket.parameters()])
            return allreduce_hook(None, bucket)  # what DDP does where there is no hook

        ddp.register_comm_hook(None, send)
        for order in orders[rank]:
            ddp(x, order).backward()
            reducer.prepare()
            other(x, order).backward()
        pairs = zip(one.parameters(), other.parameters(), strict=True)
        found.append((sent, reducer.sent, all(torch.equal(a.grad, b.grad) for a, b in pairs)))
    return found


def models_with_sent() -> dict[str, tuple]:
    one, other = on_ranks(by_both)
    return {
        f"model {number}: {len(widths)} layers, a cap of {cap}": pair
        for number, ((widths, cap, _), *pair) in enumerate(zip(models(), one, other, strict=True))
    }


def one_bucket_more() -> tuple:
    return ([[0]], [[0]], True), ([[0], [1]], [[0]], True)


@counted(models_with_sent, planted=one_bucket_more, minimum=60)
def the_exercise_sends_what_ddp_sends(case: tuple) -> bool:
    """In three steps of a generated model, DDP and the solution send the same buckets in the same order."""
    return all(theirs == ours and same for theirs, ours, same in case)
