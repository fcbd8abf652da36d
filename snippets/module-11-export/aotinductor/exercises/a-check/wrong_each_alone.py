"""Holds each size against its own range, and no two sizes of one symbol against each other."""

from torch import SymInt, Tensor
from torch.export import ExportedProgram


def misfits(program: ExportedProgram, inputs: tuple[Tensor, ...]) -> list[str]:
    """The names of those inputs for which the program was not compiled, in their order."""
    expected = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}

    def fits(size: int, wanted: int | SymInt) -> bool:
        if not isinstance(wanted, SymInt):
            return size == wanted
        limits = program.range_constraints[wanted.node.expr]
        return bool(limits.lower <= size <= limits.upper)

    def right(given: Tensor, wanted: Tensor) -> bool:
        return (
            given.dtype == wanted.dtype
            and given.dim() == wanted.dim()
            and all(map(fits, given.shape, wanted.shape))
            and all(map(lambda a, b: isinstance(b, SymInt) or a == b, given.stride(), wanted.stride()))
        )

    names = program.graph_signature.user_inputs
    return [name for name, given in zip(names, inputs, strict=True) if not right(given, expected[name])]
