"""A collective of NCCL that does not end: what becomes of the process that called it?"""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

# So that the reader need not wait: what a rank leaves for the others to write their reports.
QUICK = {"TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "1000", "TORCH_NCCL_DUMP_ON_TIMEOUT": "0"}


# region child
def child():
    import torch
    from one_rank import join, lag
    from torch import distributed as dist

    join(timeout=timedelta(seconds=3))  # the collectives in `join` have it too
    data = torch.ones(4, device="cuda")
    lag(torch.cuda.current_stream())
    dist.all_reduce(data)
    print("all_reduce returned", flush=True)
    for _ in range(1200):  # a program that goes on, and would do so for two minutes
        time.sleep(0.1)
    print("two minutes later", flush=True)


# endregion


def main():
    command = [sys.executable, __file__, "child"]
    ended = subprocess.run(command, env=os.environ | QUICK, capture_output=True, text=True, check=False)
    print(ended.stdout, end="")
    for line in ended.stderr.splitlines():
        if "Watchdog caught collective operation timeout" in line and "ProcessGroupNCCL.cpp" in line:
            said = line.partition("] [Rank 0] ")[2]
            print(said[: said.index(", Timeout(ms)")], "…", sep="")
            break
    print("ended by", signal.Signals(-ended.returncode).name)


if __name__ == "__main__":
    child() if "child" in sys.argv else main()
