"""A column of a matrix is made into a message, and the message into a tensor again."""

from multiprocessing.reduction import ForkingPickler

import torch
from torch.multiprocessing import reductions

x = torch.arange(12.0).reshape(3, 4)
messages: list[bytes] = []


# region path
def path() -> torch.Tensor:
    messages.append(bytes(ForkingPickler.dumps(x[:, 1])))
    reductions.shared_cache.clear()  # as if it were another process, which has none of it
    received: torch.Tensor = ForkingPickler.loads(messages[-1])
    return received


# endregion


if __name__ == "__main__":
    received = path()
    print(received.tolist(), received.stride(), received.storage_offset())
    print("the storage of", received.untyped_storage().nbytes(), "bytes at another address:", end=" ")
    print(received.untyped_storage().data_ptr() != x.untyped_storage().data_ptr())
    received.add_(100)
    print("written here, read there:", x[:, 1].tolist())
