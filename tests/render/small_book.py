"""What the small book of these tests holds: its addresses, its program; and how a fence is written."""

from __future__ import annotations

GRAPH = "src:torch/autograd/graph.py::_engine_run_backward"
EDGE = "src:torch/csrc/autograd/edge.h::Edge"
FLAG = "src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;"
FILE = "src:torch/csrc/autograd/edge.h"
EXECUTE = "src:torch/csrc/autograd/engine.cpp::Engine::execute"
QUEUE = "src:torch/csrc/autograd/engine.cpp::Engine::ready_queue"
BRACKETED = "src:torch/csrc/autograd/engine.cpp::Engine::compute_dependencies"
UNPROVEN = "src:aten/src/ATen/core/dispatch/OperatorEntry.cpp::OperatorEntry::updateDispatchTable_"
GENERATED = "src:torch/include/torch/csrc/autograd/generated/Functions.h::MulBackward0"
METHOD = "src:torch/_tensor.py::Tensor.backward"
ADDRESSES = (GRAPH, EDGE, FLAG, FILE, EXECUTE, QUEUE, BRACKETED, UNPROVEN, GENERATED, METHOD)

PROGRAM = '''"""Adds, slowly."""

import torch

# region build
a = torch.ones(2, requires_grad=True)

loss = (a * 2).sum()
# endregion


def path() -> None:
    loss.backward()


# region tail
if __name__ == "__main__":
    path()
    print(a.grad)
# endregion tail
'''


def fence(language: str, *lines: str) -> str:
    """A fence of these lines."""
    return "\n".join([f"```{language}", *lines, "```", ""])
