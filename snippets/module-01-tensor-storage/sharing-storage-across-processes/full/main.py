"""What happens when the folder of shared memory is full, asked of a process that believes that it is."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, default_collate


# region ask
class Rows:
    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.ones(2**17)  # half a megabyte

    def __len__(self) -> int:
        return 3


def first_of(batch_size: int, **options: Any) -> str:
    try:
        return f"a batch of {len(next(iter(DataLoader(Rows(), batch_size, num_workers=1, **options))))}"
    except RuntimeError as error:
        return re.sub(r"</.*>", "<…>", str(error).splitlines()[-1])


# endregion


if __name__ == "__main__":
    if "LD_PRELOAD" not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            shim = Path(folder, "full.so")
            source = Path(__file__).with_name("full.cpp")
            subprocess.run(["g++", "-shared", "-fPIC", "-o", shim, source], check=True)
            environment = os.environ | {"LD_PRELOAD": str(shim)}
            subprocess.run([sys.executable, __file__], env=environment, check=True)
    else:
        for batch_size in 2, 3:
            print(first_of(batch_size), flush=True)
        print("torch.stack:", first_of(3, collate_fn=torch.stack, timeout=5), flush=True)
        print("own collate_fn:", first_of(3, collate_fn=lambda rows: default_collate(rows)), flush=True)
        left = [file for file in Path("/dev/shm").glob("torch_*") if file.stat().st_size == 3 * 2**19]
        print("left behind:", len(left))
        for file in left:
            file.unlink()
