"""A tensor whose memory was given back: its description stands, and to read it can end the process."""

import os
import signal
from collections.abc import Callable

import torch

x = torch.arange(12.0, device="cpu").reshape(3, 4)
y = x[:, 1]


# region read
def reading(read: Callable[[], object]) -> str:
    """What becomes of a process that reads a tensor: a child's, so that ours can tell of it."""
    child = os.fork()
    if child == 0:
        try:
            read()
        except RuntimeError:
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "RuntimeError" if os.WEXITSTATUS(status) else "read"


# endregion

if __name__ == "__main__":
    # region freed
    storage = x.untyped_storage()
    print(reading(x.sum), reading(y.sum))
    storage.resize_(0)
    print(x.shape, y.shape, y.stride(), storage.nbytes())
    print("addresses:", x.data_ptr(), y.data_ptr())
    for name in "sum", "tolist", "__repr__":
        print(name, reading(getattr(x, name)), reading(getattr(y, name)))
    storage.resize_(48)
    print(reading(x.sum), reading(y.sum))
    # endregion
