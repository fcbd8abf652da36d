"""smooth_abs_cuda.cu: compiled by the nvcc of PyPI's wheels, launched, and read as PTX and as SASS.

Without a GPU: ``inside-torch dry snippets/module-05-dispatch/add-an-operator/from_cu_to_sass.py``
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent / "smooth_abs"
PACKAGES = Path(sysconfig.get_path("purelib"))
KEPT = tempfile.TemporaryDirectory()  # until the program ends
LOG = Path(os.environ.setdefault("DRY_GPU_LOG", f"{KEPT.name}/launches"))  # where the dry GPU notes them

# region compile
os.environ["CUDA_HOME"] = str(PACKAGES / "nvidia" / "cu13")  # of the wheel nvidia-cuda-nvcc
os.environ["TORCH_CUDA_ARCH_LIST"] = "9.0+PTX"  # machine code for what the dry GPU says it is, and PTX
sys.path.insert(0, str(FOLDER))
import torch  # noqa: E402
from smooth_abs import smooth_abs  # noqa: E402 (compiles)

# endregion


# region calls
def calls() -> None:
    torch.ones(1000, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        smooth_abs(torch.ones(1000, device="cuda"))
        smooth_abs(torch.ones(10**7, device="cuda"))


# endregion


def launched() -> list[dict]:
    """The kernels that the calls launch: from the log of the dry GPU, or from the profiler of a real one."""
    if "DRY_GPU" in os.environ:
        calls()
        return [call for call in map(json.loads, LOG.read_text().splitlines()) if "kernel" in call]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        calls()
        torch.cuda.synchronize()
    profile.export_chrome_trace(str(LOG))
    events = [event for event in json.loads(LOG.read_text())["traceEvents"] if event.get("cat") == "kernel"]
    return [
        event["args"] | {"kernel": event["name"], "shared": event["args"]["shared memory"]}
        for event in events
    ]


# region disassemble
def disassembled(form: str) -> list[str]:
    """The lines of the kernel for float, in the library that holds the operator."""
    library = next(file for file in torch.ops.loaded_libraries if "smooth_abs" in file)
    tools = PACKAGES / "triton" / "backends" / "nvidia" / "bin"
    shown = subprocess.run(
        [tools / "cuobjdump", f"-{form}", library], capture_output=True, text=True, check=True
    )
    kernels = re.split(r"\n(?=\.entry |\t\tFunction : )", shown.stdout)
    (kernel,) = (kernel for kernel in kernels if "smooth_abs_kernelIf" in kernel.splitlines()[0])
    return kernel.splitlines()


def cut(lines: list[str], first: str, last: str) -> list[str]:
    """From the first line that has one text to the first after it that has another."""
    start = next(number for number, line in enumerate(lines) if first in line)
    end = next(number for number in range(start, len(lines)) if last in lines[number])
    return lines[start : end + 1]


# endregion


if __name__ == "__main__":
    kernels = launched()
    streams = list(dict.fromkeys(kernel["stream"] for kernel in kernels))
    print(next(kernel["kernel"] for kernel in kernels if "smooth_abs" in kernel["kernel"]))
    for kernel in kernels:
        name = re.search(r"(\w+)<", kernel["kernel"])[1]
        shape = f"grid {kernel['grid'][0]:5} block {kernel['block'][0]} shared {kernel['shared']}"
        print(f"  {name:30} {shape} stream {streams.index(kernel['stream'])}")
    print("multiprocessors:", torch.cuda.get_device_properties(0).multi_processor_count)
    ptx = disassembled("ptx")
    print("PTX, with", sum("sqrt.rn.f32" in line for line in ptx), "square roots; the first loop:")
    print(*(f"  {line}" for line in cut(ptx, "ld.global.f32", "bra")), sep="\n")
    print("SASS for sm_90, from the first load to the first store:")
    sass = [re.match(r"\s*/\*(\w{4})\*/\s*(.*?) *;", line) for line in disassembled("sass")]
    print(*cut([f"  {line[1]}  {line[2]}" for line in sass if line], "LDG", "STG"), sep="\n")
