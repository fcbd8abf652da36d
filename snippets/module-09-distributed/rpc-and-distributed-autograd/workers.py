"""Processes that call each other by torch.distributed.rpc, over the loopback device and nothing else."""

import os
import pickle
import signal
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import torch
from torch import multiprocessing
from torch.distributed import rpc

PATIENCE = 120  # seconds that an RPC may take, however busy the machine is
said = []  # what init_rpc warned of in this process


# region join
def join(name, rank, world, folder, threads=16):
    """Make this process a worker, and wait for the others."""
    os.environ["GLOO_SOCKET_IFNAME"] = os.environ["TP_SOCKET_IFNAME"] = (
        "lo0" if sys.platform == "darwin" else "lo"
    )
    options = rpc.TensorPipeRpcBackendOptions(
        init_method=f"file://{folder}/store",
        rpc_timeout=PATIENCE,
        num_worker_threads=threads,
        _transports=["uv"],  # TCP; the default would prefer shared memory on Linux
        _channels=["basic"],
    )
    with warnings.catch_warnings(record=True) as caught:
        rpc.init_rpc(name, rank=rank, world_size=world, rpc_backend_options=options)
    said.extend(str(warning.message) for warning in caught)


# endregion


def member(rank, works, folder):
    """A process's life: join, work, wait until all have done theirs."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the end of the parent ends it
    torch.set_num_threads(1)
    name, work = list(works.items())[rank]
    with open(f"{folder}/{rank}.printed", "w", encoding="utf-8") as printed, redirect_stdout(printed):
        join(name, rank, len(works), folder)
        try:
            returned = work() if work else None
        finally:
            rpc.shutdown(timeout=PATIENCE)
    Path(folder, f"{rank}.returned").write_bytes(pickle.dumps(returned))


# region processes
def processes(works):
    """Fork a process for each name, let it do its work (None: only answer), give what they returned."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            multiprocessing.start_processes(member, (works, folder), nprocs=len(works), start_method="fork")
        finally:
            for rank in range(len(works)):
                if (printed := Path(folder, f"{rank}.printed")).exists():
                    print(printed.read_text("utf-8"), end="")
        results = (Path(folder, f"{rank}.returned").read_bytes() for rank in range(len(works)))
        return dict(zip(works, map(pickle.loads, results), strict=True))


# endregion


if __name__ == "__main__":

    def work():
        print([worker.name for worker in rpc.api._get_current_rpc_agent().get_worker_infos()])
        print(rpc.rpc_sync("server", torch.add, args=(torch.ones(2), 1)))

    processes({"trainer": work, "server": None})
