"""What becomes of a dimension: by what was declared of it, by the sample, and by what the code asks."""

import logging
from collections.abc import Callable, Iterable

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram, export


# region helpers
class Of(torch.nn.Module):
    """A module of one function, of one tensor or of two."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor, y: Tensor | None = None) -> Tensor:
        """What the function returns."""
        return self.function(x) if y is None else self.function(x, y)


def exported(function: Callable, *declared: object, sample: int = 6) -> ExportedProgram:
    """The function, exported with a vector of so many numbers for each dimension that is declared."""
    inputs = tuple(torch.ones(sample) for _ in declared)
    return export(Of(function), inputs, dynamic_shapes=tuple({0: one} for one in declared))


def accepted(module: Callable, sizes: Iterable[int] = range(10)) -> list[int]:
    """The sizes of a vector that the module takes."""
    taken = []
    for size in sizes:
        try:
            module(torch.ones(size))
        except (AssertionError, RuntimeError):
            continue
        taken.append(size)
    return taken


# endregion


# region asked
ASKED = {
    "nothing": lambda x: x + 1,
    "n > 4": lambda x: x * 2 if x.shape[0] > 4 else x,
    "n == 6": lambda x: x * 2 if x.shape[0] == 6 else x,
    "n % 2 == 0": lambda x: x * 2 if x.shape[0] % 2 == 0 else x,
    "int(n)": lambda x: x + int(x.shape[0]),
    "x.view(2, -1)": lambda x: x.view(2, -1),
    "x + y": lambda x, y: x + y,
    "n == 2 * m": lambda x, y: x * 2 if x.shape[0] == 2 * y.shape[0] else x,
}
SAMPLES = {"nothing": (1, 6), "n > 4": (3, 6), "n == 6": (3, 6)}
# endregion


# region table
DECLARED = {"AUTO": (Dim.AUTO, Dim.AUTO), "DYNAMIC": (Dim.DYNAMIC, Dim.DYNAMIC), "Dim": (Dim("n"), Dim("m"))}


def outcome(function: Callable, declared: tuple, sample: int) -> tuple[str, str]:
    """The range of the first dimension, or that it is a constant, or that export refuses; and the guards."""
    count = function.__code__.co_argcount
    try:
        program = exported(function, *declared[:count], sample=sample)
    except (ValueError, torch._dynamo.exc.UserError):
        return "refused", ""
    guards = ", ".join(program._guards_code).replace("L['x'].size()[0]", "n").replace("L['y'].size()[0]", "m")
    size = next(node for node in program.graph.nodes if node.op == "placeholder").meta["val"].shape[0]
    if str(size).isdigit():
        return f"constant {size}", guards
    known = program.range_constraints[size.node.expr]
    return f"{known.lower} .. {known.upper}".replace(" .. int_oo", " .."), guards


# endregion

if __name__ == "__main__":
    # of a sample of 1 with AUTO there is a line in the log
    logging.getLogger("torch._export.non_strict_utils").setLevel(logging.ERROR)
    print(f"{'asked':14} {'sample':>6}  {'AUTO':11} {'DYNAMIC':11} {'Dim':11} guards, with AUTO")
    for what, function in ASKED.items():
        for sample in SAMPLES.get(what, (6,)):
            cells = {name: outcome(function, declared, sample) for name, declared in DECLARED.items()}
            ranges = " ".join(f"{cell:11}" for cell, _ in cells.values())
            print(f"{what:14} {sample:6}  {ranges} {cells['AUTO'][1]}".rstrip())
