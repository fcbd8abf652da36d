"""Each bit of the records of a saved file is changed by itself, and the file is loaded."""

import io
import warnings
import zipfile
from collections import Counter

import torch


def places(content):
    """Where the content of the records lies; the zip's own bytes between them are left out."""
    reader = torch._C.PyTorchFileReader(io.BytesIO(content))
    for record in zipfile.ZipFile(io.BytesIO(content)).infolist():
        name = record.filename.partition("/")[2]
        start = reader.get_record_offset(name)
        yield name, range(start, start + record.file_size)


def outcome(content, names, saved):
    """What torch.load makes of a file."""
    try:
        loaded = torch.load(io.BytesIO(content))
    except Exception:
        return "raises"
    if not isinstance(loaded, dict) or list(loaded) != names:
        return "other names"
    if not all(torch.is_tensor(loaded[name]) for name in names):
        return "another object"
    # As bits, for 0.0 and -0.0 are equal.
    same = all(torch.equal(loaded[name].view(torch.int32), saved[name].view(torch.int32)) for name in names)
    return "the same" if same else "other numbers"


def main():
    """Change, load, count."""
    warnings.simplefilter("ignore")
    saved = {"weight": torch.ones(2), "mean": torch.zeros(2)}
    file = io.BytesIO()
    torch.save(saved, file)
    content = file.getvalue()
    for name, places_of_record in places(content):
        counted = Counter()
        for place in places_of_record:
            for bit in range(8):
                changed = bytearray(content)
                changed[place] ^= 1 << bit
                counted[outcome(bytes(changed), list(saved), saved)] += 1
        print(f"{name:24}", dict(sorted(counted.items())))


if __name__ == "__main__":
    main()
