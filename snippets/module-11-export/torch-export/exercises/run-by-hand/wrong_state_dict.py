"""Looks for each tensor in the module's `state_dict`, where a buffer that is not persistent is not."""

import torch
from torch import Tensor
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind


def run(program: ExportedProgram, *inputs: Tensor) -> list[Tensor]:
    """Call `program.graph_module`, write what has to be written, and return what is the user's."""
    values = program.module().state_dict()
    users = iter(inputs)
    arguments = {}
    for spec in program.graph_signature.input_specs:
        arguments[spec.arg.name] = next(users) if spec.kind == InputKind.USER_INPUT else values[spec.target]
    outputs = program.graph_module(*arguments.values())
    mine = []
    for spec, output in zip(program.graph_signature.output_specs, outputs, strict=True):
        if spec.kind == OutputKind.USER_OUTPUT:
            mine.append(output)
            continue
        written = (
            arguments[spec.target] if spec.kind == OutputKind.USER_INPUT_MUTATION else values[spec.target]
        )
        with torch.no_grad():
            written.copy_(output)
    return mine
