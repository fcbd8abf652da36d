"""The ranks of a distributed program, each a process on this machine, for programs of the book."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from datetime import timedelta
from pathlib import Path
from typing import Any

#: Seconds that a rank waits for another before it gives up, however busy the machine is.
PATIENCE = 120


def on_ranks(work: Callable[[int], Any], world: int = 2, *, backend: str = "gloo") -> list[Any]:
    """What ``work(rank)`` gave on each of ``world`` ranks, in the order of the ranks.

    Each rank is a fork of this process, one thread wide, with a process group of its own over the loopback
    device; what it returns comes back by pickle. What the ranks print is printed when they have ended, rank
    by rank. One that raises ends the others, and raises ``torch.multiprocessing.ProcessRaisedException``
    here, whose text has the rank's traceback. A process that has a default group already, which a fork would
    take along, raises ``RuntimeError``.
    """
    from torch import distributed, multiprocessing

    if distributed.is_initialized():
        raise RuntimeError(
            "this process has a process group already: `destroy_process_group()` before `on_ranks`"
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            arguments = (work, world, backend, folder)
            multiprocessing.start_processes(_rank, arguments, nprocs=world, start_method="fork")
        finally:
            for printed in sorted(folder.glob("*.printed"), key=lambda file: int(file.stem)):
                print(printed.read_text("utf-8"), end="")
        return [pickle.loads((folder / f"{rank}.returned").read_bytes()) for rank in range(world)]


def _rank(rank: int, work: Callable[[int], Any], world: int, backend: str, folder: Path) -> None:
    import torch
    from torch import distributed

    os.environ["GLOO_SOCKET_IFNAME"] = "lo0" if sys.platform == "darwin" else "lo"
    torch.set_num_threads(1)
    distributed.init_process_group(
        backend,
        init_method=f"file://{folder / 'store'}",
        rank=rank,
        world_size=world,
        timeout=timedelta(seconds=PATIENCE),
    )
    with (folder / f"{rank}.printed").open("w", encoding="utf-8") as printed, redirect_stdout(printed):
        returned = work(rank)
    (folder / f"{rank}.returned").write_bytes(pickle.dumps(returned))
    distributed.barrier()  # so that no rank takes its end of a connection away from one that still works
    distributed.destroy_process_group()
