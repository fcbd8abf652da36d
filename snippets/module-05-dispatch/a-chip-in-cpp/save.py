"""A tensor of the chip goes to a file, and comes back to where it was, to another device, to the host."""

import io
import pickletools
import subprocess
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

# region unknown
reader = """
import io, sys, torch
file = io.BytesIO(sys.stdin.buffer.read())
try:
    torch.load(file)
except RuntimeError as error:
    print("without the backend:", str(error).partition(" of ")[0])
reader = lambda storage, tag: storage if tag == "abacus:1" else None
torch.serialization.register_package(1, lambda storage: None, reader)
file.seek(0)
print("with a reader of its tags ->", torch.load(file).device)
"""
told = subprocess.run([sys.executable, "-c", reader], input=file.getvalue(), capture_output=True)
print(told.stdout.decode(), end="")
# endregion
