"""What the caches of one process spare another, and what can be carried to another folder."""

import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch
import torch._inductor.codegen.cpp
import torch._inductor.compile_fx

# no vector instructions: what there are is found out with the compiler, anew in each folder
torch._inductor.config.cpp.vec_isa_ok = False


def compile_here(folder, carried, task, variables):
    """Compiles a function. What can be carried is saved afterwards, or loaded before."""
    os.environ.update(variables, TORCHINDUCTOR_CACHE_DIR=str(folder))
    if task == "load":
        torch.compiler.load_cache_artifacts(carried.read_bytes())
    try:
        torch.compile(lambda x: (x * 2).sin() + 1)(torch.ones(8, device="cpu"))
    except Exception as error:
        return str(error).partition(" found")[0].splitlines()[-1]
    if task == "save":
        carried.write_bytes(torch.compiler.save_cache_artifacts()[0])


def another(folder, task="", **variables):
    """Does so in a process of its own, and says what it said, or for how many kernels a library was made."""
    before = set(folder.glob("*/*.main.so"))
    # a fork of this process, which compiles nothing itself and so has nothing to hand down
    with ProcessPoolExecutor(1, get_context("fork")) as pool:
        told = pool.submit(compile_here, folder, folder.parent / "carried", task, variables).result()
    return told or len(set(folder.glob("*/*.main.so")) - before)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "folder")
        print("libraries made at first:", another(folder, "save"))
        print("in another process:", another(folder))
        print("in one that finds no compiler:", another(folder, PATH=""))
        print("in another folder, with what was carried there:", another(Path(place, "empty"), "load"))
