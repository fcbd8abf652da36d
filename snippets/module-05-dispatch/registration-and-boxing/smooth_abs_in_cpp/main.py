"""Two kernels in C++, one unboxed and one boxed, registered by nothing but the loading of their library."""

import _ctypes
import ctypes
import os
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils.cpp_extension import load


def operators() -> list[str]:
    """The operators of our namespace that the dispatcher knows."""
    return sorted(name for name in torch._C._dispatch_get_all_op_names() if name.startswith("book::"))


# region build
# The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

folder = tempfile.TemporaryDirectory()
load(
    name="smooth_abs",
    sources=[str(Path(__file__).with_name("smooth_abs.cpp"))],
    extra_cflags=["-O0", "-fno-gnu-unique"],  # a library with unique symbols is never unloaded
    is_python_module=False,
    build_directory=folder.name,
)
# endregion

# region load
path = str(Path(folder.name) / "smooth_abs.so")
print("loaded", operators())

handle = ctypes.CDLL(path)._handle
for _ in range(2):  # once for this handle, once for the one that `load` holds
    _ctypes.dlclose(handle)
print("closed", operators())

ctypes.CDLL(path)
print("opened", operators())
# endregion

# region call
x = torch.tensor([-2.0, 0.0, 3.0])
for name in ("smooth_abs", "smooth_abs_too"):
    kernel = torch._C._dispatch_dump(f"book::{name}").splitlines()[-1]
    print(kernel.split(":")[0], kernel.rpartition(" :: ")[2])
    print([round(value, 3) for value in getattr(torch.ops.book, name)(x).tolist()])
# endregion

# region mismatch
for wrong in (torch.ops.book.register_wrong_kernel, lambda: torch.ops.book.call_with_wrong_type(x)):
    try:
        wrong()
    except RuntimeError as error:
        for line in str(error).strip().splitlines():
            if "registered at" not in line and not line.startswith("This likely"):
                print(line.strip())
# endregion
folder.cleanup()
