"""The check that a package does not make."""

from torch import SymInt, Tensor
from torch.export import ExportedProgram


def misfits(program: ExportedProgram, inputs: tuple[Tensor, ...]) -> list[str]:
    """The names of those inputs for which the program was not compiled, in their order."""
    nodes = {node.name: node for node in program.graph.nodes}
    known: dict[object, int] = {}  # a symbol, and the size that it has in this call
    wrong = []

    def fits(size: int, expected: int | SymInt) -> bool:
        if not isinstance(expected, SymInt):
            return size == expected
        symbol = expected.node.expr
        limits = program.range_constraints[symbol]
        return bool(limits.lower <= size <= limits.upper) and known.setdefault(symbol, size) == size

    def lies(stride: int, expected: int | SymInt) -> bool:  # after the sizes, of which a stride may be made
        return stride == (expected.node.expr.subs(known) if isinstance(expected, SymInt) else expected)

    for name, given in zip(program.graph_signature.user_inputs, inputs, strict=True):
        expected = nodes[name].meta["val"]
        if not (
            given.dtype == expected.dtype
            and given.dim() == expected.dim()
            and all(fits(*sizes) for sizes in zip(given.shape, expected.shape, strict=True))
            and all(lies(*strides) for strides in zip(given.stride(), expected.stride(), strict=True))
        ):
            wrong.append(name)
    return wrong
