"""A program of C++ is built against the wheel, and runs a package in a process without Python."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from packaged import package


# region build
def build(folder: str) -> Path:
    """`score.cpp`, against the headers and libraries of the torch that is installed."""
    wheel, program = Path(torch.__file__).parent, Path(folder, "score")
    paths = [f"-I{wheel / 'include'}", f"-L{wheel / 'lib'}", f"-Wl,-rpath,{wheel / 'lib'}"]
    libraries = ["-Wl,--no-as-needed", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl"]
    command = [
        os.environ.get("CXX", "g++"),
        "-std=c++20",
        Path(__file__).with_name("score.cpp"),
        "-o",
        program,
        *paths,
    ]
    subprocess.run([*command, *libraries], check=True)
    return program


# endregion

RUNS = {
    "right inputs": ("nothing", {}),
    "a shift of doubles": ("dtype", {}),
    "the same, checked": ("dtype", {"AOTI_RUNTIME_CHECK_INPUTS": "1"}),
    "four columns": ("columns", {}),
}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for what, (wrong, variables) in RUNS.items():
            told = subprocess.run(
                [program, package(), wrong],
                env=os.environ | variables,
                check=True,
                capture_output=True,
                text=True,
            )
            print(f"{what:20}{told.stdout}")
