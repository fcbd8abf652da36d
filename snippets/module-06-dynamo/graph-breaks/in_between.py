"""The code objects that take the place of a function with a break, by what they take and what they call."""

import dis
import re
from types import CodeType

import torch
from three_ways import compiled, inputs, straight
from torch import Tensor
from torch._dynamo.convert_frame import register_bytecode_hook


# region functions
def chosen(x: Tensor) -> Tensor:
    y = x.sin()
    if y.sum() > 0:
        return y.cos()
    return y.tan()


# endregion


# region told
def told(old: CodeType, new: CodeType) -> None:
    """The name of a new code object, its parameters, and the globals of Dynamo's that it calls by name."""
    loaded = [str(instruction.argval) for instruction in dis.get_instructions(new)]
    kinds = [re.match(r"__compiled_fn|__resume_at|print$", name) for name in loaded]
    print(f"{new.co_name}({', '.join(new.co_varnames[: new.co_argcount])})")
    print("    ", *(kind.group() for kind in kinds if kind))


# endregion

if __name__ == "__main__":
    # region show
    hook = register_bytecode_hook(told)
    compiled(straight, *inputs(4))  # prints halfway
    compiled(chosen, torch.ones(2))
    hook.remove()
    # endregion
