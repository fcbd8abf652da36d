"""The same addition under FakeTensorMode, twice: `path()` shows what is asked, and what is remembered."""

from unittest.mock import patch

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

FakeTensorMode.cache_clear()
mode = FakeTensorMode()
a = mode.from_tensor(torch.ones(2, 1))
b = mode.from_tensor(torch.ones(3))


def path():
    with mode:
        return a + b, a + b


if __name__ == "__main__":
    first, second = path()
    print(tuple(first.shape), first.dtype, "on the device of a:", first.device == a.device)
    print("cache:", mode.cache_info().misses, "miss,", mode.cache_info().hits, "hit")
    restore = FakeTensorMode._output_from_cache_entry
    with (
        patch.object(
            FakeTensorMode, "_output_from_cache_entry", autospec=True, side_effect=restore
        ) as restored,
        mode,
    ):
        a * b
    print("restored by the first multiplication:", restored.call_count)
