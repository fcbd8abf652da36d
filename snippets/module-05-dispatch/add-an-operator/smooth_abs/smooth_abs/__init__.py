"""``torch.ops.book.smooth_abs``: loads the compiled operator, and adds in Python what is shorter there."""

from pathlib import Path

import torch
from torch import Tensor

HERE = Path(__file__).parent


# region load
def build() -> None:
    """Compile and load on the spot, for a copy of the folder that is not installed."""
    import os
    import sys

    from torch.utils.cpp_extension import CUDA_HOME, load

    # The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with_cuda = torch.version.cuda is not None and CUDA_HOME is not None
    if with_cuda and not torch.cuda.is_available():  # no GPU to ask for its architecture
        os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0+PTX")
    csrc = HERE.parent / "csrc"
    load(
        name="book_smooth_abs",
        sources=sorted(map(str, [*csrc.glob("*.cpp"), *(csrc.glob("*.cu") if with_cuda else [])])),
        extra_cflags=["-O0"],
        with_cuda=with_cuda,
        is_python_module=False,
    )


if installed := next(HERE.glob("_C*.so"), None):
    torch.ops.load_library(installed)
else:
    build()
# endregion


# region vmap
@torch.library.register_vmap("book::smooth_abs")
def _(info, in_dims: tuple[int | None, ...], x: Tensor, eps: float = 1e-3) -> tuple[Tensor, int | None]:
    """The operator works element by element, so a batch is one larger tensor."""
    return torch.ops.book.smooth_abs(x, eps), in_dims[0]


# endregion

smooth_abs = torch.ops.book.smooth_abs
