"""A small Dynamo: goes through the bytecode of a function with stand-ins for its values; collects a graph.

It knows a part of the bytecode of Python 3.11, and refuses by name what it does not know.
"""

import builtins
import dis
import math
import operator
import re
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, fx
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

SYMBOLS = ["+ add", "- sub", "* mul", "/ truediv", "// floordiv", "% mod", "** pow", "@ matmul"]
SYMBOLS += ["< lt", "<= le", "== eq", "!= ne", "> gt", ">= ge"]
OPERATORS = dict(symbol.split() for symbol in SYMBOLS)
FOLDED = (math.sqrt, math.log, math.floor, abs, bool, float, int, max, min, range, round, slice, str)
NUMBERS_AND_SUCH = (int, float, bool, str, type(None), torch.Size, torch.dtype, torch.device)
OF_TENSORS = ("device", "dtype", "ndim", "requires_grad", "shape")


class Unknown(Exception):
    """What this does not know, and where it met it."""


# region kinds
@dataclass(eq=False)
class Lazy:
    """A value from outside that nobody has looked at yet, and the expression by which it is found again."""

    value: Any
    source: str
    found: Any = None


@dataclass(eq=False)
class Known:
    """A Python value, known while the graph is made: a number, a text, a function, a module."""

    value: Any
    source: str = ""


@dataclass(eq=False)
class InGraph:
    """A tensor: the node that will make it, and a fake tensor that has its type and shape."""

    node: fx.Node
    fake: Tensor
    source: str = ""


@dataclass(eq=False)
class Items:
    """A list or a tuple of stand-ins."""

    kind: type
    items: list[Any]
    source: str = ""


@dataclass(eq=False)
class Method:
    """A method that was looked up and is still to be called."""

    owner: Any
    name: str


# endregion


def constant(value: Any) -> Any:
    """The stand-in for a value that came from nowhere outside."""
    return Items(tuple, [constant(one) for one in value]) if type(value) is tuple else Known(value)


def like(value: Tensor) -> tuple[Any, ...]:
    """What is taken for granted of a tensor."""
    return type(value), value.dtype, value.device, value.requires_grad, value.shape, value.stride()


def of_torch(function: Any) -> bool:
    """Whether a function becomes a node: torch has it under its name."""
    name = getattr(function, "__name__", "")
    return callable(function) and function in [
        getattr(home, name, None) for home in (torch, torch.nn.functional)
    ]


class Trace:
    """What the frames share: the graph, the conditions, what was found, which lists are to be written."""

    def __init__(self) -> None:
        self.graph, self.mode = fx.Graph(), FakeTensorMode()
        self.inputs: list[InGraph] = []
        self.conditions: list[tuple[str, str, Any]] = []
        self.seen: dict[int, Any] = {}
        self.changed: list[Items] = []

    # region realize
    def realize(self, one: Any) -> Any:
        """What stands for a value: at the first look it is made, and a condition is noted."""
        if not isinstance(one, Lazy):
            return one
        if one.found is None:
            one.found = self.seen.get(id(one.value)) or self.build(one.value, one.source)
        return one.found

    def build(self, value: Any, source: str) -> Any:
        """A stand-in, by the type of the value."""
        if type(value) is Tensor:
            self.conditions.append((source, "is like", like(value)))
            first = next((node for node in self.graph.nodes if node.op != "placeholder"), self.graph._root)
            with self.graph.inserting_before(first):
                node = self.graph.placeholder(re.sub(r"\W+", "_", source))
            self.seen[id(value)] = made = InGraph(node, self.mode.from_tensor(value), source)
            self.inputs.append(made)
            return made
        if type(value) in (list, tuple):
            self.conditions.append((source, "has the length", len(value)))
            items = [Lazy(item, f"{source}[{at}]") for at, item in enumerate(value)]
            self.seen[id(value)] = listed = Items(type(value), items, source)
            return listed
        if type(value) in NUMBERS_AND_SUCH:
            self.conditions.append((source, "equals", value))
            return Known(value, source)
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.ModuleType | type):
            self.conditions.append((source, "is", value))
            return Known(value, source)
        raise Unknown(f"{source}, of the type {type(value).__name__}")

    # endregion

    def lists_to_write(self) -> list[Items]:
        """What is noted to be written, in the order in which it was found."""
        return [one for one in self.seen.values() if one in self.changed]

    # region record
    def record(self, kind: str, target: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """A node for a call, and a stand-in for the result, whose type the call of fake tensors tells."""
        nodes, words = self.bare(arguments, "node"), self.bare(named, "node")
        fakes, fake_words = self.bare(arguments, "fake"), self.bare(named, "fake")
        try:
            with self.mode:
                called = target if kind == "call_function" else getattr(Tensor, target)
                result = called(*fakes, **fake_words)
        except (DataDependentOutputException, RuntimeError, TypeError, IndexError, AttributeError) as error:
            raise Unknown(f"{target} raises {type(error).__name__} for tensors without numbers") from error
        if type(result) in (torch.Size, int, float, bool):
            return Known(result)  # a shape, a number of dimensions: no node, for it is known
        return self.wrap(self.graph.create_node(kind, target, tuple(nodes), words), result)

    def wrap(self, node: fx.Node, result: Any) -> Any:
        """A stand-in for what a node gives."""
        if isinstance(result, Tensor):
            return InGraph(node, result)
        if result is None:
            return Known(None)
        parts = [self.graph.call_function(operator.getitem, (node, at)) for at in range(len(result))]
        return Items(tuple, [self.wrap(part, one) for part, one in zip(parts, result, strict=True)])

    # endregion

    def bare(self, one: Any, field: str) -> Any:
        """Nodes or fake tensors in the place of stand-ins."""
        if isinstance(one, dict):
            return {name: self.bare(value, field) for name, value in one.items()}
        if isinstance(one, list):
            return [self.bare(value, field) for value in one]
        one = self.realize(one)
        if isinstance(one, Items):
            return one.kind(self.bare(one.items, field))
        if isinstance(one, InGraph):
            return getattr(one, field)
        if isinstance(one, Known):
            return one.value
        raise Unknown(f"{type(one).__name__} as an argument")


class Frame:
    """A function that is gone through. Each instruction that is known has a method of its name."""

    def __init__(self, trace: Trace, function: Known, arguments: list[Any], named: dict[str, Any]):
        code, source = function.value.__code__, function.source
        self.trace, self.code, self.scope = trace, code, function.value.__globals__
        self.source, self.stack, self.words = source, [], ()  # type: ignore[var-annotated]
        # region bind
        names = code.co_varnames[: code.co_argcount]
        self.locals = dict(zip(names, arguments, strict=False)) | named
        defaults = function.value.__defaults__ or ()
        for at, (name, value) in enumerate(zip(names[len(names) - len(defaults) :], defaults, strict=True)):
            self.locals.setdefault(name, Lazy(value, f"{source}.__defaults__[{at}]"))
        # endregion
        if set(self.locals) != set(names) or len(arguments) > len(names) or code.co_flags & 0b1010_1100:
            raise Unknown(f"how {code.co_name} is called, or what kind of function it is")
        if code.co_freevars or code.co_exceptiontable:
            raise Unknown(f"{code.co_name}: variables from around it, try or with")
        self.instructions = list(dis.get_instructions(code))
        self.place = {one.offset: at for at, one in enumerate(self.instructions)}
        self.at, self.line = 0, code.co_firstlineno

    # region run
    def run(self) -> Any:
        """Goes from one instruction to the next until one returns."""
        while True:
            one = self.instructions[self.at]
            self.at, self.line = self.at + 1, one.starts_line or self.line
            if one.opname == "RETURN_VALUE":
                return self.stack.pop()
            handler = getattr(self, one.opname, None)
            if handler is None:
                raise self.unknown(f"the instruction {one.opname}")
            handler(one)

    # endregion

    def unknown(self, what: str) -> Unknown:
        """What to raise."""
        return Unknown(f"{what} ({self.code.co_name}, line {self.line})")

    def pop(self) -> Any:
        """The top of the stack, looked at."""
        return self.trace.realize(self.stack.pop())

    def several(self, count: int) -> list[Any]:
        """So many from the top of the stack, the topmost last."""
        return [self.stack.pop() for _ in range(count)][::-1]

    def RESUME(self, one: Any) -> None:
        pass

    CACHE = EXTENDED_ARG = NOP = PRECALL = RESUME

    # region moving
    def LOAD_FAST(self, one: Any) -> None:
        self.stack.append(self.locals[one.argval])

    def STORE_FAST(self, one: Any) -> None:
        self.locals[one.argval] = self.stack.pop()

    def LOAD_CONST(self, one: Any) -> None:
        self.stack.append(constant(one.argval))

    def LOAD_GLOBAL(self, one: Any) -> None:
        if one.arg & 1:
            self.PUSH_NULL(one)
        if one.argval in self.scope:
            self.stack.append(Lazy(self.scope[one.argval], f"{self.source}.__globals__[{one.argval!r}]"))
        else:
            self.stack.append(Known(getattr(builtins, one.argval)))

    def PUSH_NULL(self, one: Any) -> None:
        self.stack.append(None)

    def POP_TOP(self, one: Any) -> None:
        self.stack.pop()

    # endregion

    def COPY(self, one: Any) -> None:
        self.stack.append(self.stack[-one.arg])

    def SWAP(self, one: Any) -> None:
        self.stack[-1], self.stack[-one.arg] = self.stack[-one.arg], self.stack[-1]

    # region deciding
    def truth(self) -> bool:
        """Whether the top of the stack is true. Of a tensor nobody can say: its numbers are not there."""
        one = self.pop()
        if isinstance(one, InGraph):
            raise self.unknown("the truth of a tensor")
        return bool(one.items if isinstance(one, Items) else one.value)

    def POP_JUMP_FORWARD_IF_FALSE(self, one: Any) -> None:
        if not self.truth():
            self.JUMP_FORWARD(one)

    def POP_JUMP_FORWARD_IF_TRUE(self, one: Any) -> None:
        if self.truth():
            self.JUMP_FORWARD(one)

    def JUMP_FORWARD(self, one: Any) -> None:
        self.at = self.place[one.argval]

    def FOR_ITER(self, one: Any) -> None:
        following = next(self.stack[-1], None)
        if following is None:
            self.stack.pop()
            self.JUMP_FORWARD(one)
        else:
            self.stack.append(following)

    JUMP_BACKWARD = JUMP_FORWARD
    # endregion

    def GET_ITER(self, one: Any) -> None:
        self.stack.append(iter(self.elements(self.stack.pop())))

    def UNPACK_SEQUENCE(self, one: Any) -> None:
        self.stack += reversed(self.elements(self.stack.pop()))

    def BUILD_TUPLE(self, one: Any) -> None:
        self.stack.append(Items(tuple, self.several(one.arg)))

    def BUILD_LIST(self, one: Any) -> None:
        self.stack.append(Items(list, self.several(one.arg)))

    def elements(self, one: Any) -> list[Any]:
        """What a loop goes through."""
        one = self.trace.realize(one)
        if isinstance(one, Items):
            return one.items
        if isinstance(one, Known) and isinstance(one.value, torch.Size | range | str):
            return [Known(item) for item in one.value]
        if isinstance(one, InGraph) and one.fake.dim():
            return [self.compute(operator.getitem, one, Known(row)) for row in range(len(one.fake))]
        raise self.unknown(f"a loop through {type(one).__name__}")

    # region computing
    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """An operator: a node if a tensor takes part, else it is computed now."""
        values = [self.trace.realize(one) for one in arguments]
        if any(isinstance(one, InGraph) for one in values):
            return self.trace.record("call_function", function, values, {})
        first = values[0]
        if all(isinstance(one, Known) for one in values):
            return constant(self.tried(function, *(one.value for one in values)))
        if isinstance(first, Items) and function is operator.getitem and isinstance(values[1], Known):
            return self.tried(function, first.items, values[1].value)
        if isinstance(first, Items) and function is operator.iadd and first.kind is list:
            self.write(first).extend(self.elements(values[1]))
            return first
        raise self.unknown(f"{function.__name__} of {', '.join(type(one).__name__ for one in values)}")

    # endregion

    def tried(self, function: Callable[..., Any], *values: Any) -> Any:
        """What a function gives now."""
        try:
            return function(*values)
        except Exception as error:
            raise self.unknown(f"that it raises {type(error).__name__}") from error

    def BINARY_OP(self, one: Any) -> None:
        name = OPERATORS.get(one.argrepr.removesuffix("="))
        if name is None:
            raise self.unknown(f"the operator {one.argrepr}")
        in_place = "i" if one.argrepr.endswith("=") else ""
        self.stack.append(self.compute(getattr(operator, in_place + name), *self.several(2)))

    def COMPARE_OP(self, one: Any) -> None:
        self.stack.append(self.compute(getattr(operator, OPERATORS[one.argval]), *self.several(2)))

    def BINARY_SUBSCR(self, one: Any) -> None:
        self.stack.append(self.compute(operator.getitem, *self.several(2)))

    def UNARY_NEGATIVE(self, one: Any) -> None:
        self.stack.append(self.compute(operator.neg, self.stack.pop()))

    def UNARY_NOT(self, one: Any) -> None:
        self.stack.append(Known(not self.truth()))

    # region writing
    def write(self, owner: Any) -> list[Any]:
        """The items of a list that is about to change. One from outside stays as it is, and is noted."""
        if not isinstance(owner, Items) or owner.kind is not list:
            raise self.unknown(f"a write to {type(owner).__name__}")
        if owner.source and owner not in self.trace.changed:
            self.trace.changed.append(owner)
        return owner.items

    def STORE_SUBSCR(self, one: Any) -> None:
        value, *others = self.several(3)
        owner, key = map(self.trace.realize, others)
        if isinstance(owner, InGraph):
            self.trace.record("call_function", operator.setitem, [owner, key, value], {})
        elif isinstance(key, Known) and type(key.value) is int:
            self.tried(operator.setitem, self.write(owner), key.value, value)
        else:
            raise self.unknown("a write to a part of a list")

    # endregion

    # region attributes
    def LOAD_ATTR(self, one: Any) -> None:
        self.stack.append(self.attribute(self.pop(), one.argval))

    def LOAD_METHOD(self, one: Any) -> None:
        owner = self.pop()
        inside = isinstance(owner, Known) and isinstance(owner.value, types.ModuleType)
        self.stack += [None, self.attribute(owner, one.argval) if inside else Method(owner, one.argval)]

    def attribute(self, owner: Any, name: str) -> Any:
        """What a tensor tells of itself, or what a module holds."""
        if isinstance(owner, InGraph) and name in OF_TENSORS:
            return Known(getattr(owner.fake, name))
        if isinstance(owner, Known) and isinstance(owner.value, types.ModuleType):
            return Lazy(self.tried(getattr, owner.value, name), f"{owner.source}.{name}")
        raise self.unknown(f"the attribute {name} of {type(owner).__name__}")

    # endregion

    def KW_NAMES(self, one: Any) -> None:
        self.words = self.code.co_consts[one.arg]

    def CALL(self, one: Any) -> None:
        gap, callee, *arguments = self.several(one.arg + 2)
        if gap is not None:
            raise self.unknown("a call of something decorated or made here")
        count = len(arguments) - len(self.words)
        named, self.words = dict(zip(self.words, arguments[count:], strict=True)), ()
        self.stack.append(self.call(self.trace.realize(callee), arguments[:count], named))

    # region calling
    def call(self, callee: Any, arguments: list[Any], named: dict[str, Any]) -> Any:
        """A call: a frame for a function of yours, a node for one of torch's, the result if all is known."""
        function = getattr(callee, "value", None)
        if of_torch(function):
            return self.trace.record("call_function", function, arguments, named)
        if isinstance(function, types.FunctionType):
            return type(self)(self.trace, callee, arguments, named).run()
        if isinstance(callee, Method):
            return self.method(callee.owner, callee.name, arguments, named)
        values = [self.trace.realize(one) for one in arguments]
        if function is len and isinstance(values[0], Items | InGraph):
            return Known(len(values[0].items if isinstance(values[0], Items) else values[0].fake))
        if function is isinstance and isinstance(values[0], InGraph):
            return Known(issubclass(Tensor, self.trace.bare(values[1], "node")))
        if function in FOLDED and not named and all(isinstance(one, Known) for one in values):
            return Known(self.tried(function, *(one.value for one in values)))
        raise self.unknown(f"a call of {getattr(function, '__name__', type(callee).__name__)}")

    # endregion

    def method(self, owner: Any, name: str, values: list[Any], named: dict[str, Any]) -> Any:
        """A call of a method of a tensor or of a list."""
        if isinstance(owner, InGraph):
            return self.trace.record("call_method", name, [owner, *values], named)
        if name in ("append", "extend") and len(values) == 1:
            self.write(owner).extend(values if name == "append" else self.elements(values[0]))
            return Known(None)
        raise self.unknown(f"the method {name} of {type(owner).__name__}")


def traced(function: types.FunctionType, *arguments: Any, kind: type[Frame] = Frame) -> tuple[Trace, Any]:
    """What was collected on the way through a function for such arguments, and what stands for its result."""
    if sys.version_info[:2] != (3, 11):
        raise Unknown(f"the bytecode of Python {sys.version_info[0]}.{sys.version_info[1]}: this is for 3.11")
    trace, names = Trace(), function.__code__.co_varnames
    lazy: list[Any] = [Lazy(value, f"L[{name!r}]") for name, value in zip(names, arguments, strict=False)]
    return trace, kind(trace, Known(function, "F"), lazy, {}).run()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx/the-graph-ir"))
    from running_example import centred, inputs

    # region centred
    trace, result = traced(centred, *inputs(5))
    for node in trace.graph.nodes:
        print(node.format_node())
    print("the result is", result.node.name)
    for source, condition, value in trace.conditions:
        print(source, condition, getattr(value, "__name__", value))
    # endregion
