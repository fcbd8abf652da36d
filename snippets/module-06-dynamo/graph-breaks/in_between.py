"""The code objects that take the place of a function with a break, by what they take and what they call."""

import dis
import json
import re
from pathlib import Path
from types import CodeType

import torch
import torch._dynamo as dynamo
from three_ways import compiled, inputs, straight
from torch import Tensor
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._dynamo.symbolic_convert import InstructionTranslator
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack


# region functions
def chosen(x: Tensor) -> Tensor:
    y = x.sin()
    if y.sum() > 0:
        return y.cos()
    return y.tan()


# endregion


def deleted(x: Tensor) -> Tensor:
    y, z = x.sin(), x.cos()
    dynamo.graph_break()
    del y
    return z.tan()


def unset(x: Tensor, more: bool) -> Tensor:
    if more:
        y = x.sin()
    dynamo.graph_break()
    z = x.cos()
    return z + y if more else z


def nothing_left(x: Tensor) -> object:
    x.sin_()
    return dynamo.graph_break()


def only_the_return_left(x: Tensor) -> Tensor:
    x.sin_()
    dynamo.graph_break()
    return x


def in_one_statement(x: Tensor) -> Tensor:
    flag = not x.sin().cos().sum()
    return x.tan() * flag


def in_a_mode(x: Tensor) -> tuple[Tensor, int]:
    x = x.sin()
    with Mode():
        x = x.cos()
        modes = left_alone()
        x = x.tan()
    return x.exp(), modes


class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), keywords=None):
        return function(*arguments, **(keywords or {}))


@torch.compiler.disable
def left_alone() -> int:
    return len(_get_current_function_mode_stack())


def on_a_number(x: Tensor) -> Tensor:
    number = x.sin().sum().long().item()
    if number >= 0:
        return x.cos()
    return x.tan()


def one_in_no_grad(x: Tensor) -> Tensor:
    with torch.no_grad():
        x = x.sin()
    try:
        dynamo.graph_break()
    finally:
        x = x.cos()
    return x


def no_grad_in_a_try(x: Tensor) -> Tensor:
    x = x.sin().cos()
    try:
        with torch.no_grad():
            dynamo.graph_break()
    finally:
        x = x.tan()
    return x


def message_is_a_number(x: Tensor) -> Tensor:
    assert x.sum() > 0, 1  # noqa: RUF040 - Dynamo refuses the number
    return x.cos()


def written_in_both_ways(x: Tensor) -> Tensor:
    number, y = 1, x.sin()
    dynamo.graph_break()
    if len(y) > 1:
        number, y = 2, y.cos()
    else:
        number = 3
    return y * number


def written_in_a_loop(x: Tensor) -> Tensor:
    number, y = 1, x.sin()
    dynamo.graph_break()
    for _ in range(2):
        number = 2
        y = y * number
    return y


def written_in_a_block(x: Tensor) -> Tensor:
    number, y = 1, x.sin()
    dynamo.graph_break()
    with torch.no_grad():
        number = 2
    return y * number


def written_before_a_jump(x: Tensor) -> Tensor:
    number, y = 1, x.sin()
    dynamo.graph_break()
    number = 2
    return y * number if len(y) > 1 else y


def and_of_a_size(x: Tensor) -> Tensor:
    assert len(x) > 0 and x.sum() > 0, "no rows"
    return x.cos()


def named_message(x: Tensor) -> Tensor:
    assert x.sum() > 0, NAMED
    return x.cos()


NAMED = "no rows"


# region told
def told(old: CodeType, new: CodeType) -> None:
    """The name of a new code object, its parameters, and what it loads of a few names."""
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
    codes: list[CodeType] = []
    hook = register_bytecode_hook(lambda old, new: codes.append(new))
    fast = torch.compile(chosen, backend="eager")
    fast(torch.ones(2)), fast(-torch.ones(2))
    line = chosen.__code__.co_firstlineno + 2  # of the `if`; both ways go on below it
    assert [code.co_name.partition("_at_")[2] for code in codes[-2:]] == [str(line)] * 2
    compiled(deleted, torch.ones(2))
    assert codes[-1].co_varnames[codes[-1].co_argcount - 1] == "__resume_frame_values"
    compiled(unset, torch.ones(2), False)
    assert codes[-1].co_varnames[3 : codes[-1].co_argcount] == (
        "x",
        "more",
    )  # no `y`, no `z`
    for late in written_in_both_ways, written_in_a_loop, written_in_a_block, written_before_a_jump:
        compiled(late, torch.ones(2))  # the first three take `number`, which is written before it is read
        taken = {"number", "y"} - ({"number"} if late is written_before_a_jump else set())
        assert set(codes[-1].co_varnames[3 : codes[-1].co_argcount]) == taken
    compiled(nothing_left, torch.ones(2))
    assert codes[-1].co_name == "nothing_left" and "__resume_at" not in str(codes[-1].co_names)
    compiled(only_the_return_left, torch.ones(2))
    assert "__resume_at" in str(codes[-1].co_names)  # it loads `x`, and returns it
    hook.remove()
    with dynamo.config.patch(capture_scalar_outputs=True):
        assert len(compiled(on_a_number, torch.ones(2))[1]) == 2  # resumed, as at a condition on a tensor
    assert [len(graph) for graph in compiled(one_in_no_grad, torch.ones(2))[1]] == [3]  # its switches count
    assert [len(graph) for graph in compiled(no_grad_in_a_try, torch.ones(2))[1]] == [2]  # not resumed
    assert compiled(in_one_statement, torch.ones(2))[1] == []  # at no place was the stack empty
    handlers = {name: getattr(InstructionTranslator, name, None) for name in dis.opmap}
    made_of = {name: getattr(handler, "__code__", None) for name, handler in handlers.items()}
    wrapped = {name for name, code in made_of.items() if code and "break_graph_if" in code.co_qualname}
    wrapped -= {"CALL", "CALL_FUNCTION_EX", "CALL_FUNCTION_KW", "CALL_KW", "CALL_FUNCTION"}
    assert wrapped == {"COMPARE_OP", "BINARY_SUBSCR", "STORE_ATTR", "STORE_SUBSCR"}
    mode, of_its_own = torch.overrides.TorchFunctionMode, {"__getattribute__": lambda self, name: 1}
    resumed = dynamo.variables.torch_function.TorchFunctionModeVariable.is_supported_torch_function_mode
    assert resumed(type("Mode", (mode,), {})) and not resumed(type("Mode", (mode,), of_its_own))
    (_, modes), graphs = compiled(in_a_mode, torch.ones(2))
    assert modes == 1 and len(graphs) == 2  # resumed, and not left for the call in between
    assert len(compiled(and_of_a_size, torch.ones(2))[1]) == 1  # only one of the two is a tensor
    assert len(compiled(named_message, torch.ones(2))[1]) == 2  # a string, and no literal
    try:
        compiled(message_is_a_number, torch.ones(2))  # only a string may be the message
    except TypeError as error:
        assert "must be str" in str(error)
    else:
        raise AssertionError("a number was taken for a message")
    registry = json.loads(Path(dynamo.__file__).with_name("graph_break_registry.json").read_text())
    kinds = {entries[0]["Gb_type"] for entries in registry.values()}
    told_of = Path(__file__).with_name("causes.out").read_text().splitlines()[1::2]
    assert all(kind in kinds for line in told_of for kind in line.strip().split("; "))
    try:
        compiled(on_a_number, torch.ones(2), fullgraph=True)
    except dynamo.exc.UserError as error:
        assert str(error).splitlines()[0] not in kinds  # a condition on a captured number has no kind
    else:
        raise AssertionError("a condition on a number was captured")
