"""The log of the dry GPU: what a program asked of the device, a JSON object a line."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inside_torch.errors import BookError

LAUNCHES = {
    "cudaLaunchKernel",
    "cudaLaunchKernelExC",
    "cudaLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
}
PRODUCTS = re.compile(r"cublas\w*(?:gemm|gemv|Gemm|Dot|dot|Matmul)\w*")
COPIES = {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeerAsync"}
FILLS = {"cudaMemset", "cudaMemsetAsync"}
WAITS = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"}
#: What in a kernel's template arguments says what it does, and what only wraps that.
_DOING = re.compile(
    r"\w*[Ff]unctor\w*|\w+_kernel\w*|launch_\w+|(?<=std::)(?:plus|minus|multiplies|divides)\b"
)
_WRAPPING = {"BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor", "gpu_kernel_impl_nocast", "gpu_kernel_impl"}
_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+) in ')


@dataclass
class LaunchLog:
    """The calls of one run, in their order."""

    calls: list[dict[str, Any]] = field(default_factory=list)

    #: The stacks that were written down; ``where`` of a call is the place of its own, and one.
    stacks: str = ""

    @classmethod
    def load(cls, file: Path) -> LaunchLog:
        """Reads a log; there is none where nothing was asked of the device."""
        calls = []
        for number, line in enumerate(file.read_text("utf-8").splitlines() if file.exists() else [], 1):
            try:
                calls.append(json.loads(line))
            except ValueError as error:
                raise BookError(
                    "dry-log", f"not a line of the log: {error}", file=file, line=number
                ) from None
        beside = Path(f"{file}.stacks")
        return cls(calls, beside.read_text("latin-1") if beside.exists() else "")

    def stack(self, call: dict[str, Any]) -> list[tuple[str, int]]:
        """File and line of each frame that a call came from, the innermost first; none where unknown."""
        if not (place := call.get("where", 0)):
            return []
        end = self.stacks.find("\nStack (", place - 1)
        text = self.stacks[place - 1 : end + 1 or None]
        return [(one[1], int(one[2])) for one in _FRAME.finditer(text)]

    def of(self, names: set[str]) -> list[dict[str, Any]]:
        """The calls that have one of these names."""
        return [call for call in self.calls if call["call"] in names]

    @property
    def kernels(self) -> Counter[str]:
        """How often each kernel was launched, by its short name.

        A product of cuBLAS counts as one, and so does an operation of cuDNN.
        """
        names = [short(call["kernel"]) for call in self.of(LAUNCHES)]
        names += [call["call"] for call in self.calls if PRODUCTS.fullmatch(call["call"])]
        return Counter(names + [f"cudnn {call['operation']}" for call in self.cudnn])

    @property
    def cudnn(self) -> list[dict[str, Any]]:
        """The operations that cuDNN was asked for."""
        return [call for call in self.calls if call["call"].startswith("cudnn") and "operation" in call]

    @property
    def copied(self) -> dict[str, tuple[int, int]]:
        """How many copies went each way, and their bytes."""
        found: dict[str, tuple[int, int]] = {}
        for call in self.of(COPIES):
            count, size = found.get(call["way"], (0, 0))
            found[call["way"]] = (count + 1, size + call["bytes"])
        return found

    @property
    def peaks(self) -> dict[int, int]:
        """The most bytes that each device had given away at one time."""
        found: dict[int, int] = {}
        for call in self.calls:
            if "used" in call:
                found[call["device"]] = max(found.get(call["device"], 0), call["used"])
        return found

    @property
    def read_unknown(self) -> list[dict[str, Any]]:
        """The copies to the host of values that nobody computed."""
        return [call for call in self.of(COPIES) if call["way"] == "device to host" and not call["known"]]

    def places(self, calls: list[dict[str, Any]], program: Path) -> Counter[tuple[str, str]]:
        """How often the program did one of these calls, and at which line of its own."""
        found: Counter[tuple[str, str]] = Counter()
        for call in calls:
            found[call["call"], self.place(call, program)] += 1
        return found

    def place(self, call: dict[str, Any], program: Path) -> str:
        """Where a call came from, ``x.py:3``: the innermost line of the program, or of a library."""
        stack = self.stack(call)
        own = [frame for frame in stack if Path(frame[0]).resolve() == program.resolve()]
        file, line = (own or stack or [("", 0)])[0]
        return f"{Path(file).name}:{line}" if file else "unknown"


def human(count: int) -> str:
    """Bytes as a reader reads them."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def short(kernel: str) -> str:
    """A kernel's name without parameters and namespaces; of template arguments what says what it does stays.

    >>> short("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, X>(int)")
    'vectorized_elementwise_kernel<FillFunctor>'
    """
    kernel = kernel.replace("(anonymous namespace)", "anonymous")
    name, depth, end = "", 0, len(kernel)
    for place, sign in enumerate(kernel):
        if sign == "(" and not depth:
            end = place
            break
        depth += (sign == "<") - (sign == ">")
        name += sign if not depth and sign != ">" else ""
    inside = kernel[len(name) : end]
    doing = [word for word in dict.fromkeys(_DOING.findall(inside)) if word not in _WRAPPING]
    name = name.split("::")[-1].split()[-1]
    chosen = doing[:1] + [word for word in doing[1:] if word in ("plus", "minus", "multiplies", "divides")]
    return f"{name}<{', '.join(chosen)}>" if chosen else name
