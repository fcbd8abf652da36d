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


def file_of(value):
    """What torch.save writes."""
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def outcome(content, saved, whole):
    """What torch.load makes of a file."""
    try:
        loaded = torch.load(io.BytesIO(content))
    except Exception:
        return "raises"
    if not isinstance(loaded, dict) or list(loaded) != list(saved):
        return "other names"
    if not all(torch.is_tensor(value) for value in loaded.values()):
        return "another object"
    # Saved again, it is the whole file, byte for byte.
    if file_of(loaded) == whole:
        return "the same"
    if all(torch.equal(loaded[name], saved[name]) for name in saved):
        gradient = any(value.requires_grad for value in loaded.values())
        return "requires a gradient" if gradient else "another tensor"
    return "other numbers"


def main():
    """Change, load, count."""
    warnings.simplefilter("ignore")
    saved = {"weight": torch.tensor([1.0, 2.0]), "mean": torch.tensor([3.0, 4.0])}
    content = file_of(saved)
    for name, places_of_record in places(content):
        counted = Counter()
        for place in places_of_record:
            for bit in range(8):
                changed = bytearray(content)
                changed[place] ^= 1 << bit
                counted[outcome(bytes(changed), saved, content)] += 1
        print(f"{name:24}", dict(sorted(counted.items())))


if __name__ == "__main__":
    main()
