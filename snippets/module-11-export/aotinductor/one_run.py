"""A package is loaded and run once."""

import os
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path

import torch
from torch import Tensor
from torch.export.pt2_archive._package import AOTICompiledModel

sys.path.insert(0, str(Path(__file__).parent))
from packaged import inputs, package

# Unpacked once, where the recorder of paths looks for libraries that a program has made.
BUILDS = Path(os.environ.get("TORCH_EXTENSIONS_DIR", tempfile.gettempdir()))
UNPACKED = BUILDS / f"scores-{Path(package()).parent.name}"
if not UNPACKED.is_dir():
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (
        zipfile.ZipFile(package()) as archive,
        tempfile.TemporaryDirectory(dir=BUILDS) as made,
        suppress(OSError),  # another process was here first
    ):
        archive.extractall(made)
        os.rename(Path(made, "scores"), UNPACKED)


# region path
def path() -> tuple[AOTICompiledModel, Tensor]:
    """The loader of C++, called from Python, and one run."""
    model = AOTICompiledModel(torch._C._aoti.AOTIModelPackageLoader(str(UNPACKED), "model", False, 1, -1))
    return model, model(*inputs())


# endregion

if __name__ == "__main__":
    print(path()[1].tolist())
