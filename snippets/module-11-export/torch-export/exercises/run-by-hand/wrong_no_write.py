"""Takes a graph for the whole program: the new values of the buffers are dropped."""

import copy

from solution import run as right
from torch import Tensor
from torch.export import ExportedProgram


def run(program: ExportedProgram, *inputs: Tensor) -> list[Tensor]:
    """Call `program.graph_module`, write what has to be written, and return what is the user's."""
    return right(copy.deepcopy(program), *(tensor.clone() for tensor in inputs))
