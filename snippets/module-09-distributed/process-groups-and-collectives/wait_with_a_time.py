"""A `wait` of NCCL's is given a time, and the caller catches its exception: what becomes of the process?"""

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

# So that the reader need not wait a minute: what a rank leaves for the others to write their reports.
QUICK = {"TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC": "3000", "TORCH_NCCL_DUMP_ON_TIMEOUT": "0"}


# region child
def child():
    import torch
    from one_rank import join, lag
    from torch import distributed as dist

    join()
    data = torch.zeros(4, device="cuda")
    lag(torch.cuda.current_stream())
    work = dist.all_reduce(data, async_op=True)
    for call in lambda: work.wait(timedelta(milliseconds=100)), lambda: dist.all_reduce(data):
        try:
            call()
        except dist.DistBackendError as error:
            print(str(error).partition("WorkNCCL")[0].splitlines()[0].strip(), flush=True)
    time.sleep(120)
    print("two minutes later", flush=True)


# endregion


def main():
    command = [sys.executable, __file__, "child"]
    ended = subprocess.run(command, env=os.environ | QUICK, capture_output=True, text=True, check=False)
    print(ended.stdout, end="")
    print("ended by", signal.Signals(-ended.returncode).name)


if __name__ == "__main__":
    child() if "child" in sys.argv else main()
