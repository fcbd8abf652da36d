"""Asks the guards of the exported module, which look at sizes and at nothing else."""

from torch import Tensor
from torch.export import ExportedProgram


def misfits(program: ExportedProgram, inputs: tuple[Tensor, ...]) -> list[str]:
    """The names of those inputs for which the program was not compiled, in their order."""
    try:
        program.module()(*inputs)
    except (AssertionError, RuntimeError) as refused:
        return [name for name in program.graph_signature.user_inputs if f"{name}.size" in str(refused)]
    return []
