"""On which stream each part of a step is asked for, and which stream waits for which."""

from contextlib import ExitStack
from unittest.mock import patch

import torch
from inside_torch.dry import is_dry
from torch import distributed
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.utils._python_dispatch import TorchDispatchMode
from watch import Model, shard


# region start
def start() -> DeviceMesh:
    """This process as one of four ranks; what it asks of its GPU is seen, and the other three are pretended.

    On the dry GPU the group is NCCL's; on a real one, where that would wait for the others, PyTorch's `fake`.
    """
    torch.cuda.set_device(0)
    if is_dry():
        distributed.init_process_group(
            "nccl",
            store=distributed.HashStore(),
            rank=0,
            world_size=4,
            device_id=torch.device("cuda", 0),
        )
    else:
        from torch.testing._internal.distributed.fake_pg import FakeStore

        distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
    return init_device_mesh("cuda", (4,))


# endregion


# region orders
NAMES = {
    "fsdp.all_gather_copy_in.default": "copy in",
    "c10d._allgather_base_.default": "gather",
    "fsdp.split_with_sizes_copy.default": "copy out",
    "aten.mm.default": "mm",
    "fsdp.chunk_cat.default": "copy gradients in",
    "c10d._reduce_scatter_base_.default": "reduce-scatter",
    "aten.record_stream.default": "record_stream",
}


class Orders(TorchDispatchMode):
    """Notes what a stream is asked for, and of a wait for an event what stood before that on its stream."""

    def __init__(self, model) -> None:
        super().__init__()
        shared = model._get_fsdp_state()._comm_ctx
        self.names = {
            torch.cuda.current_stream(): "main",
            shared.all_gather_copy_in_stream: "copies",
            shared.all_gather_stream: "gathers",
            shared.reduce_scatter_stream: "reduces",
        }
        self.seen: list[tuple[str, str]] = []
        self.last: dict[str, str] = {}
        self.marks: dict[torch.cuda.Event, str] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if name := NAMES.get(str(func)):
            self.last[self._on()] = name
            self.seen.append((self._on(), name))
        return func(*args, **(kwargs or {}))

    def _on(self, stream: torch.cuda.Stream | None = None) -> str:
        return self.names[stream or torch.cuda.current_stream()]

    def __enter__(self):
        self.patches = ExitStack()
        event = torch.cuda.Event
        record, wait = event.record, event.wait

        def recorded(mark, stream=None):
            self.marks[mark] = f"{self.last.get(self._on(stream), 'all before')} on {self._on(stream)}"
            return record(mark, stream or torch.cuda.current_stream())

        def waited(mark, stream=None):
            self.seen.append((self._on(stream), f"  waits for: {self.marks[mark]}"))
            return wait(mark, stream or torch.cuda.current_stream())

        self.patches.enter_context(patch.object(event, "record", recorded))
        self.patches.enter_context(patch.object(event, "wait", waited))
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self.patches.close()


# endregion


def main() -> None:
    model = shard(Model(2, 64).cuda(), start())
    x = torch.zeros(8, 64, device="cuda")
    model(x).sum().backward()  # the streams are made in the first forward
    with Orders(model) as orders:
        loss = model(x).sum()
        orders.seen.append(("", "backward"))
        loss.backward()
    for stream, what in orders.seen:
        print(f"{stream:8}{what}" if stream else what)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
