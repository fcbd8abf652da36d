"""Wants each input as the example was, and forgets that a size may change."""

from torch import Tensor
from torch.export import ExportedProgram


def misfits(program: ExportedProgram, inputs: tuple[Tensor, ...]) -> list[str]:
    """The names of those inputs for which the program was not compiled, in their order."""
    examples = program.example_inputs[0]
    return [
        name
        for name, given, example in zip(program.graph_signature.user_inputs, inputs, examples, strict=True)
        if (given.dtype, given.shape, given.stride()) != (example.dtype, example.shape, example.stride())
    ]
