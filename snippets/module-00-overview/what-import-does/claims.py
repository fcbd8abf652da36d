"""What this article says of operators, optimizers and submodules, counted."""

import functools
import json
import pkgutil
import subprocess
import sys

import torch
from inside_torch.claims import counted, native_functions, optimizers

CHILD = """
import importlib.util, json, sys, types
path = importlib.util.find_spec("torch").submodule_search_locations
torch = sys.modules["torch"] = types.ModuleType("torch")
torch.__path__ = list(path)
import torch._C
alone = torch._C._dispatch_get_all_op_names()
del sys.modules["torch"]
import torch
print(json.dumps([alone, list(sys.modules)]))
"""


@functools.cache
def child() -> tuple[frozenset[str], frozenset[str]]:
    """The operators of a process that loads `torch._C` alone; its modules when it has imported torch, too."""
    run = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    alone, modules = json.loads(run.stdout)
    return frozenset(alone), frozenset(modules)


@counted(native_functions, planted=lambda: {"func": "of_no_library(Tensor self) -> Tensor"})
def registered_by_libraries(entry: dict) -> bool:
    """An operator of native_functions.yaml is there with `torch._C` loaded, and no `torch/__init__.py`."""
    name = entry["func"].partition("(")[0]
    return f"aten::{name}" in child()[0]


class _Own(torch.optim.Optimizer):
    def add_param_group(self, param_group):
        """One that is not the wrapped one."""


@counted(optimizers, planted=lambda: _Own)
def optimizer_is_wrapped(cls: type) -> bool:
    """An optimizer of `torch.optim` has `Optimizer.add_param_group`, which `_disable_dynamo` wraps."""
    return cls.add_param_group is torch.optim.Optimizer.add_param_group


def public_submodules() -> list[str]:
    """The files and folders directly in `torch/` whose name has no underscore in front."""
    names = (module.name for module in pkgutil.iter_modules(torch.__path__))
    return sorted(f"torch.{name}" for name in names if not name.startswith("_"))


@counted(public_submodules, planted="torch._dynamo", minimum=30)
def submodule_is_imported(name: str) -> bool:
    """A public submodule of torch is imported by `import torch`."""
    return name in child()[1]
