"""A tensor of the chip goes to a file, and comes back to where it was, to another device, to the host."""

import io
import pickletools
import sys
import zipfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus  # noqa: F401, registers the device

file = io.BytesIO()
torch.save(torch.arange(3.0, device="abacus:1"), file)

# region tag
pickle = zipfile.ZipFile(file).read("archive/data.pkl")
print("in the file:", [value for _, value, _ in pickletools.genops(pickle) if "abacus" in str(value)])
# endregion

# region load
for target in None, "cpu", "abacus:0", {"abacus:1": "abacus:0"}:
    file.seek(0)
    print(target, "->", torch.load(file, map_location=target).device)
# endregion
