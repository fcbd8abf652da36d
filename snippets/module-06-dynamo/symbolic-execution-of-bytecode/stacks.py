"""The stack of the small Dynamo and that of the real one, at each instruction of the same function."""

import sys
from pathlib import Path
from typing import Any

from generated import by_dynamo, by_us
from small_dynamo import Frame, traced
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx/the-graph-ir"))
from running_example import centred, inputs

# region listen
ours: list[tuple[str, list[str]]] = []
theirs: list[tuple[str, list[str]]] = []
step = InstructionTranslatorBase.step


class Shown(Frame):
    """A frame that tells its stack before each instruction."""

    def __getattribute__(self, name: str) -> Any:
        if name.isupper() and name == self.instructions[self.at - 1].opname:
            ours.append((name, [type(one).__name__ for one in self.stack]))
        return super().__getattribute__(name)


def heard(self: InstructionTranslatorBase) -> bool:
    """A step of Dynamo's, whose stack is told before."""
    name = self.instructions[self.instruction_pointer or 0].opname
    theirs.append((name, [type(one).__name__ for one in self.stack]))
    return step(self)


def short(stack: list[str]) -> str:
    """The kinds on a stack; a dash for the gap below a callee."""
    ends = [one.removesuffix("Variable").removesuffix("VariableTracker") for one in stack]
    return " ".join("-" if one in ("Null", "NoneType") else one for one in ends)


# endregion

if __name__ == "__main__":
    # region shown
    traced(centred, *inputs(5), kind=Shown)
    InstructionTranslatorBase.step = heard  # type: ignore[method-assign]
    graphs, _ = by_dynamo(centred, list(inputs(5)))
    for at, (name, _) in enumerate(theirs[:20]):
        if name not in ("RESUME", "PRECALL"):
            print(f"{name:26} {short(ours[at + 1][1]):28} {short(theirs[at + 1][1])}".rstrip())
    same = [name for name, _ in ours] + ["RETURN_VALUE"] == [name for name, _ in theirs]
    print("the same instructions:", same, len(theirs))
    print("the same graph:", by_us(centred, list(inputs(5)))[0] == graphs)
    # endregion
