"""What this article says of steps that nobody wrote by hand."""

import gc
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).with_name("exercises") / "the-schedule"))

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from inside_torch.run.ranks import on_ranks
from torch import distributed, nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from watch import Model, Watch, shard

MESHES: dict[str, DeviceMesh] = {}


def mesh_of(device: str) -> DeviceMesh:
    """Four ranks, of which this process is one; made once."""
    if device not in MESHES:
        if device == "cuda":
            from streams import start

            MESHES[device] = start()
        else:
            from torch.testing._internal.distributed.fake_pg import FakeStore

            distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
            MESHES[device] = init_device_mesh(device, (4,))
    return MESHES[device]


def of_blocks(count: int, kept: frozenset[int], device: str, size: int = 4) -> Model:
    with torch.device(device):
        model = Model(count, size)
    for place, block in enumerate(model.blocks):
        fully_shard(block, mesh=mesh_of(device), reshard_after_forward=place not in kept)
    return fully_shard(model, mesh=mesh_of(device))


@st.composite
def steps(draw) -> tuple[int, frozenset[int], bool, bool]:
    count = draw(st.integers(1, 6))
    kept = draw(st.frozensets(st.integers(0, count - 1)))
    return count, kept, draw(st.booleans()), draw(st.booleans())


def a_root_that_is_freed() -> tuple:
    return 2, None, True, False


@counted(cases(steps(), count=100), planted=a_root_that_is_freed, build="cpu")
def the_schedule_is_the_real_one(step: tuple[int, frozenset[int] | None, bool, bool]) -> bool:
    """The solution's events of a step are those of `fully_shard`, in their order."""
    from solution import schedule

    count, kept, sync, needs = step
    if kept is None:  # planted: an option that the solution does not know
        model, kept = shard(Model(count), mesh_of("cpu"), reshard_after_forward=True), frozenset()
    else:
        model = of_blocks(count, kept, "cpu")
    model.set_requires_gradient_sync(sync)
    with Watch() as watch:
        loss = model(torch.ones(2, 4, requires_grad=needs)).sum()
        forward = watch.take()
        loss.backward()
        return (forward, watch.take()) == schedule(count, kept, sync=sync, input_needs_grad=needs)


def a_gather_on_main() -> tuple:
    return 3, frozenset(), None, False


@counted(cases(steps(), count=30), planted=a_gather_on_main, build="dry")
def gathers_wait_for_copies(step: tuple[int, frozenset[int], bool | None, bool]) -> bool:
    """After the first wait of a step, each mark that the gathers wait for stands right behind a copy."""
    from streams import Orders

    count, kept, sync, needs = step
    model = of_blocks(count, kept, "cuda", 64)
    model.set_requires_gradient_sync(bool(sync))
    if sync is None:  # planted: the gathers are asked for on main, which does the products
        model._set_unshard_async_op(True)
        for block in model.blocks:
            block._set_unshard_async_op(True)
    x = torch.zeros(8, 64, device="cuda", requires_grad=needs)
    model(x).sum().backward()
    with Orders(model) as orders:
        model(x).sum().backward()
    gathers = [stream for stream, what in orders.seen if what == "gather"]
    waits = [what for stream, what in orders.seen if stream == "gathers" and "waits" in what]
    allowed = {"  waits for: copy in on copies", "  waits for: copy out on main"}
    return set(gathers) == {"gathers"} and set(waits[1:]) <= allowed


def a_recorded_use() -> tuple:
    return 0, frozenset(), True, False


@counted(cases(steps(), count=12), planted=a_recorded_use, build="dry")
def no_block_waits_for_a_stream(step: tuple[int, frozenset[int], bool, bool]) -> bool:
    """After a step whose streams all lag, no freed block waits for a stream."""
    from inside_torch.dry import hold, release

    count, kept, sync, needs = step
    if count:
        model = of_blocks(count, kept, "cuda", 64)
        model.set_requires_gradient_sync(sync)
        x = torch.zeros(8, 64, device="cuda", requires_grad=needs)
        model(x).sum().backward()
        shared = model._get_fsdp_state()._comm_ctx
        streams = [shared.all_gather_copy_in_stream, shared.all_gather_stream, shared.reduce_scatter_stream]
    else:  # planted: a block that another stream was recorded for
        mesh_of("cuda")
        streams = [torch.cuda.Stream()]
    streams.append(torch.cuda.current_stream())
    for stream in streams:
        hold(stream)
    if count:
        model(x).sum().backward()
    else:
        used = torch.empty(1 << 20, device="cuda")
        used.record_stream(streams[0])
        del used
    stats = torch.cuda.memory_stats()
    waiting = stats["active_bytes.all.current"] - stats["allocated_bytes.all.current"]
    lagging = not streams[-1].query()
    for stream in streams:
        release(stream)
    torch.cuda.synchronize()
    return lagging and waiting == 0


def depths() -> dict[str, tuple[str, int]]:
    counts = 3, 4, 6, 9, 13
    return {f"{way}, {count} blocks": (way, count) for way in ("as it is", "head too") for count in counts}


def one_group() -> tuple[str, int]:
    return "one group", 4


@counted(depths, planted=one_group, minimum=10, build="dry")
def peaks_by_depth(member: tuple[str, int]) -> bool:
    """At its peak forward needs 4 weights, backward 6 and reduced pieces; with the head a group, 3 and 4."""
    from memory import build, peaks

    way, count = member
    forward, backward, left = peaks(build(mesh_of("cuda"), count, way=way))
    gc.collect()
    expected = (3, 4 + (count - 1) / 4) if way == "head too" else (4, 6 + (count - 2) / 4)
    close = abs(forward - expected[0]) < 0.1 and abs(backward - expected[1]) < 0.1
    return close and abs(left - (count + 1) / 4) < 0.1


def trained() -> dict[str, float]:
    """For each seed, how far the weights of two ranks are from those of one process, after three steps."""

    def work(rank: int) -> list[float]:
        mesh = init_device_mesh("cpu", (2,))
        return [_distance(seed, rank, mesh) for seed in range(40)]

    if distributed.is_initialized():  # the four of another claim, which a fork would take over
        distributed.destroy_process_group()
        MESHES.clear()
    found = on_ranks(work)
    return {f"seed {seed}": max(one[seed] for one in found) for seed in range(40)}


def _distance(seed: int, rank: int, mesh: DeviceMesh) -> float:
    torch.manual_seed(seed)
    count = 1 + seed % 4
    plain, sharded = Model(count, 5), Model(count, 5)
    sharded.load_state_dict(plain.state_dict())
    kept = frozenset(place for place in range(count) if seed >> place & 4)
    for place, block in enumerate(sharded.blocks):
        fully_shard(block, mesh=mesh, reshard_after_forward=place not in kept)
    fully_shard(sharded, mesh=mesh)
    data = torch.randn(3, 2, 4, 5)
    optimizers = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (plain, sharded)]
    for batch in data:
        for optimizer in optimizers:
            optimizer.zero_grad()
        nn.functional.mse_loss(plain(batch.flatten(0, 1)), torch.zeros(8, 5)).backward()
        nn.functional.mse_loss(sharded(batch[rank]), torch.zeros(4, 5)).backward()
        for optimizer in optimizers:
            optimizer.step()
    pairs = zip(plain.parameters(), sharded.parameters(), strict=True)
    return max((one - other.full_tensor()).abs().max().item() for one, other in pairs)


@counted(trained, planted=lambda: 0.1, minimum=40, build="cpu")
def two_ranks_train_as_one(distance: float) -> bool:
    """Two ranks with half of a batch each end with the weights of one process with all of it, or nearly."""
    return distance < 1e-5
