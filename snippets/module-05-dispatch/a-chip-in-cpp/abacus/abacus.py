"""The device `abacus`: `import abacus`, and `torch.ones(3, device="abacus")` works.

Builds the C++ half where it is out of date, gives PrivateUse1 its name, and registers this very module as
`torch.abacus`: what PyTorch's Python code asks of a device is a function of it.
"""

import os
import sys
from pathlib import Path

import torch
from torch.utils.cpp_extension import load

# region build
# The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

load(
    name="abacus_device",
    sources=[str(Path(__file__).with_name(f"{name}.cpp")) for name in ("chip", "device", "operators")],
    extra_cflags=["-O0"],
    is_python_module=False,
)
_chip = torch.ops.abacus
# endregion


# region module
def is_available() -> bool:
    return True


def is_initialized() -> bool:
    """Nothing is put off until the first use."""
    return True


_initialized = True  # where checkpointing looks, before it keeps the state of the generators


def device_count() -> int:
    return _chip.device_count()


def current_device() -> int:
    return _chip.current_device()


def set_device(device: int | str | torch.device) -> None:
    _chip.set_device(_index(device))


class device:
    """`with torch.abacus.device(1):` makes a device the current one; `torch.load` asks for it."""

    def __init__(self, device: int | str | torch.device) -> None:
        self.index = _index(device)

    def __enter__(self) -> None:
        self.before = current_device()
        set_device(self.index)

    def __exit__(self, *_: object) -> None:
        set_device(self.before)


def _index(device: int | str | torch.device | None) -> int:
    if isinstance(device, int):
        return device
    index = torch.device(device or "abacus").index
    return current_device() if index is None else index


def synchronize(device: int | str | torch.device | None = None) -> None:
    """The chip never runs ahead."""


# random numbers
def _is_in_bad_fork() -> bool:
    return False


def manual_seed_all(seed: int) -> None:
    for index in range(device_count()):
        _chip.default_generator(index).manual_seed(seed)


def get_rng_state(device: int | str | torch.device = "abacus") -> torch.Tensor:
    return _chip.default_generator(_index(device)).get_state()


def set_rng_state(new_state: torch.Tensor, device: int | str | torch.device = "abacus") -> None:
    _chip.default_generator(_index(device)).set_state(new_state)


# mixed precision
def get_amp_supported_dtype() -> list[torch.dtype]:
    return [torch.bfloat16, torch.float16]


# what the chip tells about itself
def commands() -> int:
    """Commands run so far: copies and kernels."""
    return _chip.commands()


def lines() -> int:
    """Lines of 32 bytes that the adder has added so far."""
    return _chip.lines()


def fallbacks() -> dict[str, int]:
    """Operators that the CPU ran for the chip, and how often, since the last call."""
    return dict(sorted(_chip.fallbacks().items(), key=lambda item: (-item[1], item[0])))


# endregion

# region rename
torch.utils.rename_privateuse1_backend("abacus")
torch._register_device_module("abacus", sys.modules[__name__])
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
# endregion
