"""A file of torch.save is opened without torch.load: a zip, a pickle in it, and a record for each storage."""

import io
import pickle
import zipfile
from collections import OrderedDict
from typing import ClassVar

import torch
from torch import nn


class Net(nn.Module):
    """One parameter, one buffer, one child."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.mean = nn.Buffer(torch.zeros(2))
        self.inner = nn.Linear(2, 2, bias=False)


# region reader
def rebuild(storage, offset, size, stride, *rest):
    """A view of a storage: what torch._utils._rebuild_tensor_v2 does, for plain tensors."""
    return storage.as_strided(size, stride, offset)


class Reader(pickle.Unpickler):
    """Reads data.pkl; knows three names, and no other."""

    NAMES: ClassVar = {
        ("collections", "OrderedDict"): OrderedDict,
        ("torch._utils", "_rebuild_tensor_v2"): rebuild,
        ("torch", "FloatStorage"): torch.float32,
    }

    def __init__(self, archive):
        super().__init__(archive.open("archive/data.pkl"))
        self.archive, self.storages = archive, {}

    def find_class(self, module, name):
        if (module, name) not in self.NAMES:
            raise pickle.UnpicklingError(f"not allowed: {module}.{name}")
        return self.NAMES[module, name]

    def persistent_load(self, pid):
        _, dtype, key, _, count = pid
        if key not in self.storages:
            content = bytearray(self.archive.read(f"archive/data/{key}"))
            self.storages[key] = torch.frombuffer(content, dtype=dtype, count=count)
        return self.storages[key]


# endregion reader


def main():
    """Save, list, read by hand, compare."""
    net = Net()
    nn.init.ones_(net.inner.weight)
    file = io.BytesIO()
    torch.save(net.state_dict(), file)

    archive = zipfile.ZipFile(file)
    for record in archive.infolist():
        content = archive.read(record)
        shown = content if len(content) < 20 else f"{len(content)} bytes"
        if record.filename.endswith("serialization_id"):
            shown = f"{len(content)} digits"
        print(f"{record.filename:32} {shown}")

    ours = Reader(archive).load()
    theirs = torch.load(io.BytesIO(file.getvalue()))
    print("the same names:  ", list(ours) == list(theirs), list(ours))
    print("the same numbers:", all(torch.equal(ours[name], theirs[name]) for name in ours))
    print("the same notes:  ", ours._metadata == theirs._metadata, dict(ours._metadata))

    file = io.BytesIO()
    torch.save(nn.ReLU(), file)
    try:
        Reader(zipfile.ZipFile(file)).load()
    except pickle.UnpicklingError as error:
        print(error)


if __name__ == "__main__":
    main()
