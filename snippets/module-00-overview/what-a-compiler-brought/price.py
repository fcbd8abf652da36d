"""What the first compiled call of the CNN costs, with empty caches and with full ones."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time

import torch

sys.path.insert(0, str(Path(__file__).parent))
from speeds import cnn, inference_call

BEST_OF, CALLS = 31, 20


# region first
def used():
    """Seconds of the processor so far: of this process, and of the compilers of C++ that it waited for."""
    times = os.times()
    return times.user + times.system, times.children_user + times.children_system


def first_call(model, x):
    """What the first call of a compiled model costs, in this process and in the compilers of C++."""
    compiled = inference_call(lambda model, x: torch.compile(model), model, x)
    before = used()
    compiled()
    here, compilers = (after - start for after, start in zip(used(), before, strict=True))
    return compiled, here, compilers


# endregion


def best(call):
    """Seconds of the processor for one call, the best of many."""

    def once():
        start = process_time()
        for _ in range(CALLS):
            call()
        return (process_time() - start) / CALLS

    return min(once() for _ in range(BEST_OF))


def in_this_process():
    """The costs, as JSON."""
    torch.set_num_threads(1)
    model, x = cnn()
    eager = inference_call(lambda model, x: model, model, x)
    eager()  # what eager does once is not the compiler's
    compiled, here, compilers = first_call(model, x)
    print(
        json.dumps({"here": here, "compilers": compilers, "eager": best(eager), "compiled": best(compiled)})
    )


def in_a_process(folder):
    """The same in a new process, which finds in the folder what an earlier one left there."""
    environment = os.environ | {"TORCHINDUCTOR_CACHE_DIR": folder, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
    environment["TMPDIR"] = folder  # compiled headers lie there, wherever the caches are
    command = [sys.executable, __file__, "here"]
    return json.loads(
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    )


def measure():
    """The first call, cold and warm, over one call of eager, and the calls after which it is paid for."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"cold": in_a_process(folder), "warm": in_a_process(folder)}
    eager, compiled = (min(each[name] for each in found.values()) for name in ("eager", "compiled"))
    totals = {state: each["here"] + each["compilers"] for state, each in found.items()}
    values = {
        "cold_over_warm": round(totals["cold"] / totals["warm"], 1),
        "compilers_percent": round(100 * found["cold"]["compilers"] / totals["cold"]),
    }
    for state, total in totals.items():
        values[f"{state}_calls"] = float(f"{total / eager:.1g}")
        values[f"{state}_to_pay"] = float(f"{total / (eager - compiled):.1g}")
    return values


if __name__ == "__main__":
    if len(sys.argv) > 1:
        in_this_process()
    else:
        for name, value in measure().items():
            print(f"{name:20} {value}")
