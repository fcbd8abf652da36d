"""What becomes of the running example in each stage of `torch.compile`, told by hooks of the compiler.

Every stage is the compiler's own. Only the C++ that comes out is not compiled.
"""

import logging
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, SimpleNamespace
from unittest import mock

import torch
from torch import fx
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._functorch import config as functorch_config
from torch._inductor import compile_fx, config
from torch._inductor.codecache import PyCodeCache
from torch._inductor.graph import GraphLowering
from torch._inductor.scheduler import BaseSchedulerNode, fusion_log

sys.path.insert(0, str(Path(__file__).parent))
from running_example import centred, inputs


def text(graph: fx.GraphModule) -> str:
    """The Python of a graph, without the first lines, which are empty."""
    return graph.code.strip().replace("torch.ops.aten.", "aten.")


def loops(nodes: list[BaseSchedulerNode]) -> str:
    """What the scheduler has: calls of kernels, loops with a body, and several of them fused."""
    told = []
    for node in nodes:
        parts = [part.get_name() for part in node.get_nodes()]
        if len(parts) > 1:
            told.append(" and ".join(parts) + " fused")
        elif (body := getattr(node, "_body", None)) is None:
            told.append(f"{parts[0]}: {node.node.python_kernel_name}")
        else:
            told.append(f"{parts[0]}: {body.debug_str()}")
    return "\n".join(told)


def stages(rows: int = 5) -> dict[str, str]:
    """The stages of `centred` for so many rows and a weight that wants a gradient, in their order."""
    seen: dict[str, str] = {}

    def note(name: str) -> Callable[[fx.Graph], None]:
        return lambda graph: seen.setdefault(name, text(graph.owning_module)) and None

    def scheduled(name: str) -> Callable[[list[BaseSchedulerNode]], list[BaseSchedulerNode]]:
        def look(nodes: list[BaseSchedulerNode]) -> list[BaseSchedulerNode]:
            seen[f"{name}, backward" if name in seen else name] = loops(nodes)
            return nodes

        return look

    def code(written: str) -> None:
        kernel = re.search(r"r'''\n(.*?)'''", written, re.DOTALL)
        call = re.search(r"    def call\(self, args\):\n(.*?)\n\n", written, re.DOTALL)
        of = ", backward" if "kernel" in seen else ""
        seen["kernel" + of], seen["wrapper" + of] = kernel[1].strip(), call[0].rstrip()

    def inner(graph: fx.GraphModule, examples: list[torch.Tensor], **options) -> object:
        seen["backward" if options.get("is_backward") else "forward"] = text(graph)
        return compile_fx.compile_fx_inner(graph, examples, **options)

    def not_compiled(*_, **__) -> SimpleNamespace:
        return SimpleNamespace(call=None, __file__="")

    def backend(graph: fx.GraphModule, examples: list[torch.Tensor]) -> Callable:
        seen["dynamo"] = text(graph)
        hooks = {
            "joint_custom_pre_pass": note("joint"),
            "_pre_fusion_custom_pass": scheduled("loops"),
            "_post_fusion_custom_pass": scheduled("fused"),
            # one element at a time, on one thread: the same text for every processor
            "cpp.simdlen": 1,
            "cpp.threads": 1,
            "force_disable_caches": True,
        }
        with (
            config.patch(hooks),
            functorch_config.patch(force_non_lazy_backward_lowering=True),
            mock.patch.object(GraphLowering, "save_output_code", code),
            mock.patch.object(PyCodeCache, "load_by_key_path", not_compiled),
        ):
            compile_fx.compile_fx(graph, examples, inner_compile=inner)
        return graph.forward

    def bytecode(old: CodeType, new: CodeType) -> None:
        names = (re.sub(r"_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}", "", name) for name in new.co_names)
        seen["bytecode"] = "\n".join(names)

    def say(record: logging.LogRecord) -> None:
        if (message := record.getMessage()).startswith("cannot fuse"):
            seen.setdefault("refused", message)

    said = logging.Handler()
    said.emit = say
    handle = register_bytecode_hook(bytecode)
    fusion_log.addHandler(said)
    fusion_log.setLevel(logging.DEBUG)
    try:
        x, weight = inputs(rows)
        torch.compile(centred, backend=backend)(x, weight.requires_grad_())
    finally:
        handle.remove()
        fusion_log.removeHandler(said)
        fusion_log.setLevel(logging.NOTSET)
    return seen


def operations(stage: str) -> list[str]:
    """What a graph, the bodies of loops or a wrapper call, in their order."""
    found = re.findall(r"\b(?:aten|ops|functional|y|extern_kernels)\.(\w+)|\w ([@/]) ", stage)
    return [name or sign for name, sign in found if name not in ("load", "store", "constant")]


def plain(kernel: str) -> str:
    """The loops of a kernel, without casts of whole numbers and lines that are braces."""
    told = []
    for line in kernel[kernel.index("#pragma") :].splitlines():
        if "for(" in line or "tmp" in line:
            depth = (line.index(line.lstrip()) - 8) // 4
            told.append(
                "  " * min(depth, 2)
                + re.sub(r"static_cast<int64_t>\((.+?)L?\)(?=[];)])", r"\1", line.strip())
            )
    return "\n".join(told)


if __name__ == "__main__":
    for name, stage in stages().items():
        print(f"{name:19} {len(stage.splitlines()):3} lines")
