"""The state dict of a small layer is written to a buffer, read back and loaded."""

import io

import torch
from torch import nn


def path():
    """Four steps: the dictionary, the file, the dictionary again, the layer."""
    layer = nn.Linear(2, 2, bias=False)
    buffer = io.BytesIO()
    torch.save(layer.state_dict(), buffer)
    buffer.seek(0)
    loaded = torch.load(buffer)
    return layer, loaded, layer.load_state_dict(loaded)


if __name__ == "__main__":
    layer, loaded, answer = path()
    print(list(loaded), answer)
    print("the same memory:", loaded["weight"].data_ptr() == layer.weight.data_ptr())
