"""What asks for each answer of the chip: leave one out, try everything, and tell what breaks.

Each trial is a child process, since some of the answers are missed by a crash.
"""

import os
import signal
import sys
import tempfile
import warnings
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import TextIO

import torch
import torch._dynamo  # what an optimizer will want, once for all children

sys.path.insert(0, str(Path(__file__).parents[1] / "a-chip-in-cpp/abacus"))


# region demands
def train() -> list[float]:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2).to("abacus")
    x = torch.linspace(-1, 1, 32, device="cpu").reshape(8, 4).to("abacus")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), x[:, :2])
        loss.backward()
        optimizer.step()
    return loss.item()


def autocast() -> torch.Tensor:
    with torch.amp.autocast("abacus"):
        return torch.ones(2, 2, device="abacus").mm(torch.full((2, 2), 0.5, device="abacus"))


demands = {
    "equal": lambda: torch.empty(2, device="abacus").equal(torch.empty(2, device="abacus")),
    "ones": lambda: torch.ones(3, device="abacus"),
    "to": lambda: torch.arange(4.0).to("abacus"),
    "add": lambda: torch.ones(3, device="abacus") + torch.ones(3, device="abacus"),
    "item": lambda: torch.ones(1).to("abacus").item(),
    "flatten": lambda: torch.ones(2, 3).to("abacus").flatten(),
    "transpose": lambda: torch.ones(2, 3).to("abacus").t(),
    "reshape": lambda: torch.ones(2, 3, 4).to("abacus").transpose(0, 1).reshape(3, 2, 2, 2),
    "unfold": lambda: torch.ones(4).to("abacus").unfold(0, 2, 1),
    "conj": lambda: torch.ones(2, dtype=torch.complex64).to("abacus").conj().cpu(),
    "multiply": lambda: torch.ones(2).to("abacus") * 3,
    "print": lambda: repr(torch.ones(3).to("abacus")),
    "train": train,
    "save": lambda: torch.load(BytesIO(saved(torch.ones(3).to("abacus")))),
    "autocast": autocast,
    "generator": lambda: torch.rand(2, device="abacus", generator=torch.Generator("abacus")),
}


def saved(tensor: torch.Tensor) -> bytes:
    file = BytesIO()
    torch.save(tensor, file)
    return file.getvalue()


# endregion


# region trial
def trial(answer: str) -> str:
    """The first demand that fails without an answer, and how."""
    with tempfile.TemporaryFile("w+") as told, tempfile.TemporaryFile("w+") as log:
        child = os.fork()
        if child == 0:
            os.environ |= {"ABACUS_WITHOUT": answer, "ABACUS_LOG": "1"}
            os.dup2(log.fileno(), 2)
            without(told)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        told.seek(0)
        last = told.read().splitlines()[-1]
        if os.WIFSIGNALED(status):
            log.seek(0)
            ran = Counter(line.split()[1] for line in log.read().splitlines()[-500:])
            often = sorted(name for name, count in ran.items() if count > 100) or ["our kernels"]
            last += f"{signal.Signals(os.WTERMSIG(status)).name}, over and over {', '.join(often)}"
    return last


def without(told: TextIO) -> None:
    """In the child: make every demand, until one fails."""
    warnings.simplefilter("error")
    import abacus  # noqa: F401, loads the operators, all but one

    for name, demand in demands.items():
        print(name, end=": ", file=told, flush=True)
        try:
            demand()
        except Exception as error:
            text = str(error).partition("\n")[0].partition(". This")[0]
            print(type(error).__name__, text, file=told, flush=True)
            return
        print(file=told)
    print("nothing fails", file=told, flush=True)


# endregion


if __name__ == "__main__":
    for answer in (
        "nothing",
        "empty.memory_format",
        "empty_strided",
        "_copy_from",
        "copy-of-bits",
        "_copy_from_and_resize",
        "_local_scalar_dense",
        "resize_",
        "view",
        "as_strided",
        "_reshape_alias",
        "unfold",
        "set_.source_Storage",
        "set_.source_Storage_storage_offset",
        "add.out",
        "uniform_",
        "mse_loss",
        "autocast-fallthrough",
        "fallback",
    ):
        print(f"without {answer}\n    {trial(answer)}")
