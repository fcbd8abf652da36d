"""What this article says of all files, functions, modules and ways to leave a region, gone through."""

import contextlib
import inspect
import pathlib
import sys
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import hypothesis.strategies as st
import torch
import torch.nn.attention.flex_attention
from inside_torch.claims import built_nn_modules, cases, counted, public_functions
from torch import Tensor, nn
from torch._C._dynamo.eval_frame import (
    _debug_get_cache_entry_list,
    get_eval_frame_callback,
    set_eval_frame,
)
from torch._dynamo import trace_rules
from torch._dynamo.eval_frame import OptimizedModule


def python_functions() -> dict[str, FunctionType]:
    """The functions of torch.nn.functional that are written in Python."""
    found = public_functions("torch.nn.functional")
    return {name: one for name, one in found.items() if inspect.isfunction(one)}


def calls_of(code: CodeType, action: Callable[[], Any]) -> int:
    """How often a code object is run by an action."""
    seen = []
    sys.setprofile(lambda frame, event, _: seen.append(event) if frame.f_code is code else None)
    try:
        action()
    finally:
        sys.setprofile(None)
    return seen.count("call")


def already_compiled() -> FunctionType:
    """A function that a compiled call has run."""

    def layer(x: Tensor) -> Tensor:
        return x + 1

    torch.compile(layer, backend="eager")(torch.ones(1))
    return layer


@counted(python_functions, planted=already_compiled, minimum=50)
def compile_only_wraps(function: FunctionType) -> bool:
    """torch.compile of a Python function calls it not once, leaves its code and puts nothing beside it."""
    code = function.__code__
    made: list[Callable] = []
    calls = calls_of(code, lambda: made.append(torch.compile(function, backend="eager")))
    return (
        calls == 0
        and made[0] is not function
        and function.__code__ is code
        and _debug_get_cache_entry_list(code) == []
    )


def builtin_functions() -> dict[str, Callable]:
    """The functions that torch exports and that are written in C++."""
    found = public_functions("torch")
    return {name: one for name, one in found.items() if inspect.isbuiltin(one)}


@counted(builtin_functions, planted=already_compiled, minimum=400)
def builtins_share_a_code_object(function: Callable) -> bool:
    """A function of torch that is written in C++ is put into a Python function; all share its code."""
    wrapped = torch.compile(function, backend="eager")._torchdynamo_orig_callable
    return wrapped.__code__ is torch._dynamo.external_utils.wrap_inline(torch.neg).__code__


def callables_of_nn() -> dict[str, Callable]:
    """The functions of torch.nn.functional that are written in Python, and the modules of torch.nn."""
    return {**python_functions(), **built_nn_modules()}


@counted(callables_of_nn, planted=lambda: torch.nn.attention.flex_attention.flex_attention, minimum=200)
def those_of_nn_share_it_too(function: Callable) -> bool:
    """A function of torch.nn.functional or a module of torch.nn is put into the same Python function."""
    wrapped: Any = torch.compile(function, backend="eager")
    if isinstance(wrapped, OptimizedModule):
        assert not hasattr(type(wrapped), "__getitem__")
        wrapped = wrapped.forward if "_forward" not in vars(wrapped) else wrapped._forward
    code = torch._dynamo.external_utils.wrap_inline(torch.neg).__code__
    return wrapped._torchdynamo_orig_callable.__code__ is code


def other_methods() -> dict[str, tuple[nn.Module, str]]:
    """The public methods that a module of torch.nn has and that nn.Module has not."""
    found = {}
    for kind, module in built_nn_modules().items():
        for name in dir(type(module)):
            method = inspect.getattr_static(type(module), name)
            if inspect.isfunction(method) and not name.startswith("_") and not hasattr(nn.Module, name):
                found[f"{kind}.{name}"] = module, name
    return found


@counted(other_methods, planted=lambda: (nn.Linear(1, 1), "forward"), minimum=20)
def other_methods_are_the_originals(case: tuple[nn.Module, str]) -> bool:
    """A compiled module's public method that nn.Module does not define is bound to the original module."""
    module, name = case
    compiled = torch.compile(module, backend="eager")
    assert isinstance(compiled, OptimizedModule)
    method = getattr(compiled, name)
    return inspect.ismethod(method) and method.__self__ is module


def methods_of_every_module() -> dict[str, str]:
    """The public methods of nn.Module, without forward."""
    names = [name for name in dir(nn.Module) if not name.startswith("_") and name != "forward"]
    return {name: name for name in names if inspect.isfunction(getattr(nn.Module, name))}


@counted(methods_of_every_module, planted="method_of_the_model", minimum=40)
def methods_of_every_module_are_the_wrappers(name: str) -> bool:
    """A public method of nn.Module, though the model overrides it, is the outer module's own."""

    def method_of_the_model(self: nn.Module) -> None: ...

    overriding = {name: method_of_the_model, "method_of_the_model": method_of_the_model}
    model = type("Model", (nn.Module,), overriding)()
    compiled = torch.compile(model, backend="eager")
    assert getattr(model, name).__func__ is method_of_the_model
    return getattr(compiled, name).__self__ is compiled


def files_of_nn() -> tuple[str, ...]:
    """The Python files of torch.nn."""
    folder = pathlib.Path(torch.__file__).parent
    return tuple(str(file.relative_to(folder)) for file in sorted((folder / "nn").rglob("*.py")))


@counted(files_of_nn, planted="optim/sgd.py", minimum=50, exceptions="It is on a list of those to be traced.")
def files_of_nn_are_skipped(file: str) -> bool:
    """A file of torch.nn is on the list of those whose frames are turned down."""
    return trace_rules.check_file(str(pathlib.Path(torch.__file__).parent / file)).skipped


@counted(files_of_nn, planted="_dynamo/guards.py", minimum=50)
def files_of_nn_may_be_inlined(file: str) -> bool:
    """A call into a file of torch.nn, from a function being traced, is not turned down for the file."""
    path = str(pathlib.Path(torch.__file__).parent / file)
    return not trace_rules.check_file(path, is_inlined_call=True).skipped


class Stopped(Exception):
    """Ends a region early."""


def nested(layers: list[str], stops: bool) -> Callable[[Tensor], Tensor]:
    """A function within wrappers of several kinds, which may end in an exception."""

    def innermost(x: Tensor) -> Tensor:
        if stops:
            raise Stopped
        return x + 1

    function: Callable[[Tensor], Tensor] = innermost
    for layer in layers:
        inner = function
        if layer == "compile":
            function = torch.compile(lambda x, inner=inner: inner(x) * 2, backend="eager")
        elif layer == "disable":
            function = torch.compiler.disable(lambda x, inner=inner: inner(x) * 2)
        elif layer == "run":
            function = torch._dynamo.run(lambda x, inner=inner: inner(x) * 2)
        elif layer == "skip":
            function = torch._dynamo.disable(lambda x, inner=inner: inner(x) * 2, recursive=False)
        else:
            function = left_on(inner)
    return function


def left_on(inner: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """A wrapper that sets a callback and does not put back the one before."""

    def function(x: Tensor) -> Tensor:
        set_eval_frame(False)
        return inner(x)

    return function


WRAPPERS = st.lists(st.sampled_from(["compile", "disable", "run", "skip"]), min_size=1, max_size=4)


@counted(cases(st.tuples(WRAPPERS, st.booleans()), count=100), planted=lambda: (["left on"], False))
def callback_is_put_back(case: tuple[list[str], bool]) -> bool:
    """After wrappers one within another, left by a return or an exception, the callback is what it was."""
    torch._dynamo.reset()
    before = get_eval_frame_callback()
    with contextlib.suppress(Stopped):
        nested(*case)(torch.ones(1))
    after = get_eval_frame_callback()
    set_eval_frame(before)
    return after is before


def turned_down() -> dict[str, tuple[Callable[[Any], Any], Any]]:
    """Functions whose frames are turned down, for several reasons, and what to call them with."""

    def number(value: int) -> int:
        return value

    def generator(x: Tensor) -> Any:
        yield x + 1

    def unchanged(x: Tensor) -> Tensor:
        return x

    def loop_with_a_break(x: Tensor) -> Tensor:
        for _ in range(1):
            torch._dynamo.graph_break()
        return x + 1

    x = torch.ones(1)
    return {
        "no tensor": (number, 1),
        "a generator": (generator, x),
        "no operator": (unchanged, x),
        "a break in a loop": (loop_with_a_break, x),
        "a file of torch": (nn.functional.relu6, x),
    }


def disabled_for_once() -> tuple[Callable[[Any], Any], Any]:
    """A function whose frame is turned down where it is called from, and not for what it is."""

    def layer(x: Tensor) -> Tensor:
        return x + 1

    return layer, torch.compiler.disable(layer, recursive=False)


@counted(turned_down, planted=disabled_for_once, minimum=5)
def what_is_turned_down_is_not_offered_again(case: tuple[Callable[[Any], Any], Any]) -> bool:
    """A function whose frame was turned down is not offered to Dynamo at its next call."""
    torch._dynamo.reset()
    function, argument = case
    code = function.__code__
    called = function
    if callable(argument):
        called, argument = argument, torch.ones(1)
    offers = []
    original = trace_rules.check

    def listening(asked: Any, *rest: Any, **named: Any) -> bool:
        if "frame" in named:  # it is Dynamo's callback that asks
            offers.append(asked)
        return original(asked, *rest, **named)

    @torch._dynamo.decorators.skip
    def region() -> None:
        for _ in range(3):
            called(argument)

    trace_rules.check = listening
    try:
        torch.compile(region, backend="eager")()
    finally:
        trace_rules.check = original
    assert code in offers, "the frame was not offered"
    return offers.count(code) == 1
