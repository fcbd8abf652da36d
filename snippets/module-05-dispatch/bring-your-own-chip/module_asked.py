"""Which functions PyTorch asks of a device's module, who asks, and which of them may be missing.

The module notes each attribute that it is asked for. Each call is made in a process of its own, and once more
for each attribute that it asked for, with that one missing. What an earlier call asked is not told again.
"""

import contextlib
import io
import os
import signal
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TextIO

import torch
import torch._dynamo  # imported here, once for all children
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.run import determine_local_world_size
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).parent))
from questions import answers, on_chip

TORCH = Path(torch.__file__).parents[1]


# region module
class Module:
    """The module of a device with one chip. It tells who asks for what, and may lack one attribute."""

    def __init__(self, told: TextIO, lacks: str = "") -> None:
        vars(self).update(told=told, lacks=lacks)

    def __getattribute__(self, name: str):
        get = super().__getattribute__
        if name.startswith("__"):  # Python's own questions
            return get(name)
        asker = sys._getframe(1).f_code
        file = Path(asker.co_filename)
        function = asker.co_qualname.partition(".<locals>")[0]
        who = f"{file.relative_to(TORCH)} {function}" if file.is_relative_to(TORCH) else "C++"
        print(name, who, file=get("told"), flush=True)
        if name == get("lacks"):
            raise AttributeError(name)
        return get(name)

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def device_count(self) -> int:
        return 1

    def current_device(self) -> int:
        return 0

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed_all(self, seed: int) -> None: ...

    def get_rng_state(self, device=None) -> torch.Tensor:
        return torch.get_rng_state()

    def set_rng_state(self, state: torch.Tensor, device=None) -> None: ...

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        return [torch.bfloat16]

    def device(self, index: int):
        return contextlib.nullcontext()

    _initialized = True


# endregion


def x() -> torch.Tensor:
    return torch.ones(2).to("abacus")


def loaded() -> torch.Tensor:
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    return torch.load(file, map_location="abacus")


def within(context) -> None:
    with context:
        torch.ones(2, device="abacus")


def twice(tensor: torch.Tensor) -> torch.Tensor:
    return tensor + tensor


# region calls
calls = {
    "torch.ones_like, of the chip": lambda: torch.ones_like(on_chip(torch.ones(2))),
    'torch.ones(2, device="abacus")': lambda: torch.ones(2, device="abacus"),
    "backward()": lambda: twice(x().requires_grad_()).sum().backward(),
    "torch.manual_seed": lambda: torch.manual_seed(0),
    "torch.random.fork_rng": lambda: within(torch.random.fork_rng(device_type="abacus")),
    "checkpoint": lambda: checkpoint(twice, x().requires_grad_(), use_reentrant=True).sum().backward(),
    "autocast": lambda: within(torch.amp.autocast("abacus")),
    "GradScaler": lambda: torch.amp.GradScaler("abacus"),
    "torch.save": lambda: torch.save(torch.ones(2), io.BytesIO()),
    'torch.UntypedStorage(2, device="abacus")': lambda: torch.UntypedStorage(2, device="abacus"),
    'torch.load(…, "abacus")': loaded,
    "torch.compile, CPU tensors": lambda: torch.compile(twice, backend="eager")(torch.ones(2)),
    "FakeTensorMode": lambda: within(FakeTensorMode()),
    "accelerator.is_available": torch.accelerator.is_available,
    "accelerator.device_count": torch.accelerator.device_count,
    "Adam.step": lambda: torch.optim.Adam([x().requires_grad_()]).step(),
    "profile": lambda: within(torch.profiler.profile()),
    "torch.distributed.run": lambda: determine_local_world_size("abacus"),
}
# endregion


# region trial
def trial(name: str, lacks: str = "") -> tuple[dict[str, str], str]:
    """What a call asks of the module, in a child, and how the call ends."""
    with tempfile.TemporaryFile("w+") as told:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the profiler reports there
            for title, give in answers.values():
                if title != "module":
                    give()
            torch._register_device_module("abacus", Module(told, lacks))
            print(end(name, lacks), file=told, flush=True)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        told.seek(0)
        *asked, last = told.read().splitlines()
    if os.WIFSIGNALED(status):
        asked.append(last)
        last = signal.Signals(os.WTERMSIG(status)).name
    notes: dict[str, str] = {}
    for line in asked:
        attribute, _, who = line.partition(" ")
        notes.setdefault(attribute, who)
    return notes, last


def end(name: str, lacks: str) -> str:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            calls[name]()
        except Exception as error:
            return (
                f"{type(error).__name__}: {error}".partition("\n")[0]
                .partition(". ")[0]
                .partition(" with the")[0]
            )
    about = [str(one.message) for one in heard if lacks and lacks in str(one.message)]
    return f"a warning: {about[0].partition(',')[0]}" if about else "done"


# endregion


if __name__ == "__main__":
    shown = set()
    for name in calls:
        asked, last = trial(name)
        print(f"{name}: {last}")
        for attribute, who in asked.items():
            if (attribute, who) not in shown:
                shown.add((attribute, who))
                without = trial(name, attribute)[1]
                print(f"    {attribute}, by {who}")
                print(f"        without it: {'the same' if without == last else without}")
