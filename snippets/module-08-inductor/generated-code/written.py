"""What Inductor writes for a function: its kernels, and what calls them. No compiler is started."""

import re
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

import torch
from torch._inductor import config, cpu_vec_isa
from torch._inductor.codecache import FxGraphCache, PyCodeCache
from torch._inductor.compile_fx import compile_fx
from torch._inductor.graph import GraphLowering
from torch._inductor.select_algorithm import extern_kernels


class Written(NamedTuple):
    """The text of one module, and the key under which its graph would be kept."""

    source: str
    key: str
    components: list[str]

    @property
    def kernels(self) -> list[str]:
        """The C++ functions."""
        return re.findall(r"r'''\n(.*?)'''", self.source, re.DOTALL)

    @property
    def call(self) -> str:
        """The body of `call`, which allocates and calls."""
        found = re.search(r"    def call\(self, args\):\n(.*?)\n\n", self.source, re.DOTALL)
        return re.sub(r"(?m)^        (# Topologically.*\n)?", "", found[1])


# region written
def written(
    function: Callable,
    *args: torch.Tensor,
    isa: type[cpu_vec_isa.VecISA] = cpu_vec_isa.VecAVX2,
    **settings: object,
) -> Written:
    """What would be compiled for one thread and, whatever the processor, for AVX2: eight numbers at a time.

    Two underscores in the name of a setting stand for a full stop.
    """
    seen = []

    def not_found(key: str, components: list[str], *_: object, **__: object) -> tuple[None, dict]:
        seen.extend([key, components])
        return None, {"cache_state": "miss"}

    told = {"cpp.threads": 1} | {name.replace("__", "."): value for name, value in settings.items()}
    torch._dynamo.reset()
    with (
        torch.no_grad(),
        config.patch(told),
        torch._functorch.config.patch(enable_autograd_cache=False),
        mock.patch.object(cpu_vec_isa, "pick_vec_isa", isa),
        mock.patch.object(FxGraphCache, "load_with_key", not_found),
        mock.patch.object(FxGraphCache, "_save_graph", lambda *_: None),
        mock.patch.object(GraphLowering, "save_output_code", seen.append),
        mock.patch.object(
            PyCodeCache,
            "load_by_key_path",
            lambda *_, **__: SimpleNamespace(call=lambda args: None, __file__=""),
        ),
    ):
        torch.compile(function, backend=compile_only)(*args)
    key, components, source = seen
    return Written(source, key, components)


def compile_only(graph: torch.fx.GraphModule, examples: list[torch.Tensor]) -> Callable:
    """Compiled by Inductor, then run as it is."""
    compile_fx(graph, examples)
    return graph.forward


# endregion


def lines(kernel: str) -> str:
    """The body of a kernel without casts of whole numbers, braces and what every kernel has."""
    told, indents = [], []
    for line in kernel.splitlines():
        if re.match(r"\s*(for|if)\s?\(|\s*#pragma omp|\s.*(tmp|out_ptr).*[;=]$", line):
            indent = len(line) - len(line.lstrip())
            indents = [each for each in indents if each < indent]
            plain = re.sub(r"static_cast<int64_t>\((\w+(?: \+ \w+\*\w+)?|\d+L)\)", r"\1", line.strip())
            told.append("  " * len(indents) + plain.replace("at::vec::Vectorized<float>", "Vec"))
            if re.match(r"\s*(for|if|#pragma omp parallel)", line) or line.endswith("="):
                indents.append(indent)
    return "\n".join(told)


def gone() -> list[bool]:
    """At each of two products, whether the first one's input is gone, which the caller has given away."""
    seen, inputs = [], [torch.rand(64, 64), torch.rand(64, 64)]
    first, product = weakref.ref(inputs[0]), extern_kernels.mm

    def looked(*args: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        seen.append(first() is None)
        return product(*args, out=out)

    torch._dynamo.reset()
    with torch.no_grad(), mock.patch.object(extern_kernels, "mm", looked):
        torch.compile(lambda x, y: x @ y @ y)(inputs.pop(0), *inputs)
    return seen


if __name__ == "__main__":
    code = written(lambda x: ((x @ x).relu() @ x).relu() @ x, torch.rand(64, 64))
    print("kernels:", len(code.kernels))
    print(code.call)
    print("the first input is gone:", *gone())
