"""One distributed backward, seen from the trainer; the weight of the loss is in another process."""

import tempfile

import torch
from far import weigh
from torch import multiprocessing
from torch.distributed import autograd as dist_autograd
from torch.distributed import rpc
from workers import PATIENCE, join

t = torch.ones(2, requires_grad=True)


# region path
def path():
    with dist_autograd.context() as context:
        loss = rpc.rpc_sync("server", weigh, args=(t,))
        dist_autograd.backward(context, [loss])
        return dist_autograd.get_gradients(context)[t]


# endregion


def serve(_, folder):
    torch.set_num_threads(1)
    join("server", 1, 2, folder)
    rpc.shutdown(timeout=PATIENCE)


folder = tempfile.TemporaryDirectory()
torch.set_num_interop_threads(1)
server = multiprocessing.start_processes(serve, (folder.name,), join=False, start_method="fork")
join("trainer", 0, 2, folder.name, threads=1)

if __name__ == "__main__":
    print(path(), t.grad)
    rpc.shutdown(timeout=PATIENCE)
    server.join()
