"""The log of the dry GPU: what a program asked of the device, a JSON object a line."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inside_torch.errors import BookError

LAUNCHES = {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel"}
PRODUCTS = re.compile(r"cublas\w*(?:gemm|gemv|Gemm|Dot|dot|Matmul)\w*")
COPIES = {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemcpyPeerAsync"}
FILLS = {"cudaMemset", "cudaMemsetAsync"}
WAITS = {"cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"}
#: What a template argument says of no interest to a reader, innermost first.
_ARGUMENTS = re.compile(r"<[^<>]*>")


@dataclass
class LaunchLog:
    """The calls of one run, in their order."""

    calls: list[dict[str, Any]] = field(default_factory=list)

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
        return cls(calls)

    def of(self, names: set[str]) -> list[dict[str, Any]]:
        """The calls that have one of these names."""
        return [call for call in self.calls if call["call"] in names]

    @property
    def kernels(self) -> Counter[str]:
        """How often each kernel was launched, by its short name; a product of cuBLAS counts as one."""
        names = [short(call["kernel"]) for call in self.of(LAUNCHES)]
        return Counter(names + [call["call"] for call in self.calls if PRODUCTS.fullmatch(call["call"])])

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


def short(kernel: str) -> str:
    """A kernel's name without parameters and namespaces; of template arguments the functor's name is kept.

    >>> short("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, X>(int)")
    'vectorized_elementwise_kernel<FillFunctor>'
    """
    name = kernel.replace("(anonymous namespace)", "anonymous").replace("{lambda", "lambda")
    functor = re.search(r"(\w*(?:[Ff]unctor|Ops?)\w*)(?=<|,|>|::)", name.partition("<")[2])
    operation = re.search(r"::(\w+?)(?:_kernel)?(?:_cuda|_impl)?\((?:at|c10)::", name.partition("<")[2])
    while (bare := _ARGUMENTS.sub("", name)) != name:
        name = bare
    name = name.partition("(")[0].split("::")[-1].split()[-1]
    chosen = functor or operation
    return f"{name}<{chosen[1]}>" if chosen else name
