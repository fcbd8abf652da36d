"""What the caches of one process spare another, and what can be carried to another folder."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch


def compile_here(task, carried):
    """Compiles a function. What can be carried is saved afterwards, or loaded before."""
    if task == "load":
        torch.compiler.load_cache_artifacts(carried.read_bytes())
    try:
        torch.compile(lambda x: (x * 2).sin() + 1)(torch.ones(8, device="cpu"))
    except Exception as error:
        print(str(error).partition(" found")[0].splitlines()[-1])
    if task == "save":
        carried.write_bytes(torch.compiler.save_cache_artifacts()[0])


def another(folder, task="", **variables):
    """Does so in a process of its own, and says what it said, or for how many kernels a library was made."""
    before = set(folder.glob("*/*.main.so"))
    # no vector instructions: what there are is found out with the compiler, anew in each folder
    variables = {"TORCHINDUCTOR_CACHE_DIR": str(folder), "TORCHINDUCTOR_VEC_ISA_OK": "0"} | variables
    command = [sys.executable, __file__, task, str(folder.parent / "carried")]
    told = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=True
    ).stdout
    return told.strip() or len(set(folder.glob("*/*.main.so")) - before)


if __name__ == "__main__":
    if sys.argv[1:]:
        compile_here(sys.argv[1], Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "folder")
            print("libraries made at first:", another(folder, "save"))
            print("in another process:", another(folder))
            print("in one that finds no compiler:", another(folder, PATH=""))
            print("in another folder, with what was carried there:", another(Path(place, "empty"), "load"))
