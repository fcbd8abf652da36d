"""Calls of a function whose kernels are recorded as a CUDA graph, and which of its results can be read."""

import warnings

import torch
from torch import Tensor
from torch._inductor import config
from torch._inductor.cudagraph_trees import get_manager

warnings.filterwarnings("ignore", "TensorFloat32")


# region graphs
def step(x: Tensor) -> Tensor:
    """One kernel of Triton's and one product."""
    return (x * 2 + 1).relu() @ x


def readable(result: Tensor) -> str:
    """Whether its memory can be asked for."""
    try:
        result.data_ptr()
    except RuntimeError as error:
        reasons.add(str(error).split(" Stack")[0])
        return "no"
    return "yes"


@torch.no_grad()
def calls(number: int, mark: bool) -> None:
    """After each call what the manager did, which of all results can be read, and whether two are one."""
    torch._dynamo.reset()
    compiled = torch.compile(step, mode="reduce-overhead")
    results = []
    for each in range(number):
        if mark:
            torch.compiler.cudagraph_mark_step_begin()
        results.append(compiled(torch.full((64, 64), float(each), device="cuda")))
        state = get_manager(0, create_if_none_exists=False).path_state.name
        print(f"{state:10}", *(f"{readable(result):4}" for result in results))
    print("the last two are one tensor:", results[-1] is results[-2])


# endregion

if __name__ == "__main__":
    reasons = set()
    # one form of the kernel, for to choose among several takes a clock
    with config.patch("triton.autotune_pointwise", False):
        calls(4, mark=False)
        print("with cudagraph_mark_step_begin:")
        calls(4, mark=True)
    print(*reasons, sep="\n")
