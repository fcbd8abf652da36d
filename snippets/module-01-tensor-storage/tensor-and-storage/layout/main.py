"""The fields of a TensorImpl and of a StorageImpl, byte by byte, as a compiler lays them out."""

import subprocess
import tempfile
from pathlib import Path

import torch

HERE = Path(__file__).parent


# region compile
def layout() -> str:
    wheel = Path(torch.__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "layout")
        flags = ["-std=c++20", "-w", "-fno-access-control"]  # most of the fields are protected or private
        libraries = [f"-L{wheel / 'lib'}", "-lc10", f"-Wl,-rpath,{wheel / 'lib'}"]
        command = ["g++", *flags, f"-I{wheel / 'include'}", str(HERE / "layout.cpp"), "-o", str(program)]
        subprocess.run([*command, *libraries], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


# endregion

if __name__ == "__main__":
    print("object  from  to  field")
    print(layout(), end="")
