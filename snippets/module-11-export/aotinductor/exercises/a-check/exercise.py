"""The check that a package does not make."""

from torch import Tensor
from torch.export import ExportedProgram


def misfits(program: ExportedProgram, inputs: tuple[Tensor, ...]) -> list[str]:
    """The names of those inputs for which the program was not compiled, in their order."""
    raise NotImplementedError
