"""What a chain of layers has alive at the peak of a forward and a backward, told from sizes alone.

No tensor is made. A plan cuts the chain into runs of layers, and a run is inside a checkpoint or not.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MIB = 1 << 20


class Layer(NamedTuple):
    """A layer: bytes of its output and of its weight, and which of its ends its backward asks for."""

    output: int
    weight: int = 0
    keeps_output: bool = False


class Run(NamedTuple):
    """So many layers, one after the other."""

    layers: int
    checkpointed: bool


# region account
class Block:
    """Memory of some size, which lives while somebody holds it."""

    def __init__(self, size: int) -> None:
        self.size, self.holders = size, 1


class Memory:
    """What is alive, and the most there was."""

    def __init__(self) -> None:
        self.now = self.peak = 0

    def new(self, size: int) -> Block:
        self.now += size
        self.peak = max(self.peak, self.now)
        return Block(size)

    def hold(self, block: Block) -> Block:
        block.holders += 1
        return block

    def drop(self, block: Block) -> None:
        block.holders -= 1
        if not block.holders:
            self.now -= block.size


def through(
    memory: Memory, layers: Iterable[tuple[int, Layer]], value: Block, saving: bool, again: bool = False
) -> tuple[Block, dict[int, Block]]:
    """Run layers: the result, and what nodes keep. A second run ends where the last node has its tensor."""
    kept: dict[int, Block] = {}
    layers = list(layers)
    memory.hold(value)
    for number, layer in layers:
        if saving and not layer.keeps_output:
            kept[number] = memory.hold(value)
            if again and number == layers[-1][0]:
                break
        result = memory.new(layer.output)
        if saving and layer.keeps_output:
            kept[number] = memory.hold(result)
        memory.drop(value)
        value = result
    if again:
        memory.drop(value)
    return value, kept


def peak_of(chain: Sequence[Layer], plan: Sequence[Run]) -> int:
    """The peak of one step, but for the batch, the weights and the gradient that the backward begins with."""
    memory, batch = Memory(), Block(0)
    numbered, value, runs = list(enumerate(chain)), batch, []
    for run in plan:
        layers, numbered = numbered[: run.layers], numbered[run.layers :]
        given, (value, kept) = value, through(memory, layers, value, saving=not run.checkpointed)
        runs.append((layers, given, kept, run.checkpointed))
        if not run.checkpointed:
            memory.drop(given)  # the variable goes on to the result; a checkpoint holds on to it
    # The caller holds the output to the end. The gradient of the output is the caller's, too.
    gradient = Block(0)
    for layers, given, kept, checkpointed in reversed(runs):
        if checkpointed:
            _, kept = through(memory, layers, given, saving=True, again=True)
        for number, layer in reversed(layers):
            if layer.weight:
                memory.new(layer.weight)  # the gradient of the weight, which stays
            below = memory.new(chain[number - 1].output) if number else batch
            memory.drop(kept[number])
            memory.drop(gradient)
            gradient = below
        if checkpointed:
            memory.drop(given)
    return memory.peak


# endregion


#: The net of the page: eight blocks of two layers, in a batch of 4096 rows.
BLOCKS = [Layer(16 * MIB, 4 * MIB), Layer(16 * MIB)] * 8


def main() -> None:
    for name, plan in {
        "no checkpoint": [Run(16, False)],
        "around all": [Run(16, True)],
        "around four": [Run(8, True)] * 2,
        "around two": [Run(4, True)] * 4,
        "around each": [Run(2, True)] * 8,
    }.items():
        print(f"{name:14} {peak_of(BLOCKS, plan) / MIB:4.0f} MiB at the peak")


if __name__ == "__main__":
    main()
