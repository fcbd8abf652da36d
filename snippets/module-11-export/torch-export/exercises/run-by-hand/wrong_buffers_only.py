"""Writes the buffers and forgets that a program may write to what it is called with."""

from solution import run as right
from torch import Tensor
from torch.export import ExportedProgram


def run(program: ExportedProgram, *inputs: Tensor) -> list[Tensor]:
    """Call `program.graph_module`, write what has to be written, and return what is the user's."""
    return right(program, *(tensor.clone() for tensor in inputs))
