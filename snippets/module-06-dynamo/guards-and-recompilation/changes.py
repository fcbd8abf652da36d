"""Kinds of guards, and for each a change that breaks it; what the log says, and who else saw the change."""

import contextlib
import enum
import itertools
import re
import types
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries
from torch._dynamo.guards import GuardBuilder, get_guard_fail_reason_helper


# region change
@dataclass
class Change:
    """A function is compiled with the first arguments and called with the second, or in another state."""

    kinds: str
    what: str
    function: Callable
    first: Callable[[], tuple]
    second: Callable[[], tuple]
    under: Callable[[], AbstractContextManager] = nullcontext


def backend(graph: fx.GraphModule, examples: list[Any]) -> Callable:
    """Compiles nothing: what was captured is run as it is."""
    return graph.forward


def tried(change: Change, without: str = "") -> tuple[int, str]:
    """How many entries there are after both calls, and why the first refuses the second call."""
    torch._dynamo.reset()
    left_out = without.split(" + ")
    options = {"guard_filter_fn": lambda guards: [guard.guard_type not in left_out for guard in guards]}
    compiled = torch.compile(change.function, backend=backend, options=options)
    compiled(*change.first())
    (entry,) = cache_entries(change.function)
    arguments = change.second()
    names = change.function.__code__.co_varnames
    with change.under():
        given = dict(zip(names, arguments, strict=False))
        reason = get_guard_fail_reason_helper(entry.guard_manager, given, entry.compile_id, backend)
        compiled(*arguments)
    return len(cache_entries(change.function)), reason


# endregion


def short(reason: str) -> str:
    """The first line without the entry, the line of code and addresses."""
    line = reason.splitlines()[0].partition(": ")[2].split("  #")[0]
    line = re.sub(r", \d{9,}\)", ", ...)", re.sub(r" ids == .*", " ids == ...", line))
    return re.sub(r"expected DispatchKeySet.*", "...", line).strip()


class Thing:
    """An object with whatever attributes it is given."""

    def __init__(self, **attributes: Any):
        self.__dict__.update(attributes)


class Other(Thing):
    """Another class of them."""


class Colour(enum.Enum):
    """Two members."""

    RED = 1
    BLUE = 2


class Metres(float):
    """A number with a unit."""


class Double(nn.Module):
    """A module with a forward."""

    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Rated(nn.Module):
    """A module with an integer."""

    def __init__(self, rate: int):
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        return x * self.rate


def ones(*sizes: int, **options: Any) -> Callable[[], tuple]:
    """Arguments: one tensor."""
    return lambda: (torch.ones(sizes, **options),)


def marked(size: int) -> Callable[[], tuple]:
    """Arguments: one tensor whose dimension is marked as dynamic."""

    def made() -> tuple:
        x = torch.ones(size)
        torch._dynamo.mark_dynamic(x, 0)
        return (x,)

    return made


def and_then(make: Callable[[], Any]) -> Callable[[], tuple]:
    """Arguments: a tensor, and something made anew."""
    return lambda: (torch.ones(2), make())


def with_value(value: Any) -> Callable[[], tuple]:
    """Arguments: a tensor and a value."""
    return lambda: (torch.ones(2), value)


def twice() -> tuple:
    """Arguments: one tensor as two."""
    x = torch.ones(2)
    return x, x


def own_forward() -> Double:
    """A module with a forward that its class does not have."""
    module = Double()
    module.forward = lambda x: x * 3  # type: ignore[method-assign]
    return module


@contextlib.contextmanager
def default_device() -> Iterator[None]:
    """Another default device."""
    before = torch.utils._device.CURRENT_DEVICE
    torch.set_default_device("meta")
    try:
        yield
    finally:
        torch.set_default_device(before)


def traced_hooks() -> AbstractContextManager:
    """Hooks for saved tensors that are graphs."""
    hook = fx.symbolic_trace(lambda x: x)
    return torch.autograd.graph.saved_tensors_hooks(hook, hook)


def plus_one(x: Tensor) -> Tensor:
    """Most changes are of its argument."""
    return x + 1


def add(x: Tensor, y: Any) -> Tensor:
    """With a second argument."""
    return x + y


def add_next(x: Tensor, numbers: Any) -> Tensor:
    """With an iterator."""
    return x + next(numbers)


def call(x: Tensor, function: Callable) -> Tensor:
    """With a function."""
    return function(x)


# region table
CHANGES = [
    Change("TENSOR_MATCH", "another type", plus_one, ones(2), ones(2, dtype=torch.double)),
    Change("TENSOR_MATCH", "another device", plus_one, ones(2), ones(2, device="meta")),
    Change("TENSOR_MATCH", "another size", plus_one, ones(2), ones(3)),
    Change("TENSOR_MATCH", "one more dimension", plus_one, ones(2), ones(2, 1)),
    Change("TENSOR_MATCH", "other strides", plus_one, ones(2, 3), lambda: (torch.ones(3, 2).T,)),
    Change("TENSOR_MATCH", "a gradient is wanted", plus_one, ones(2), ones(2, requires_grad=True)),
    Change("TENSOR_MATCH", "a subclass", plus_one, ones(2), lambda: (nn.Parameter(torch.ones(2), False),)),
    Change("TENSOR_MATCH", "a mark", plus_one, ones(2), marked(2)),
    Change("TENSOR_MATCH", "two arguments are one", add, and_then(lambda: torch.ones(2)), twice),
    Change("DUPLICATE_INPUT", "one argument is two", add, twice, and_then(lambda: torch.ones(2))),
    Change(
        "SHAPE_ENV", "a size out of its range", lambda x: x + 1 if len(x) > 4 else x - 1, marked(5), marked(3)
    ),
    Change("CONSTANT_MATCH", "another integer", add, with_value(2), with_value(3)),
    Change("CONSTANT_MATCH", "another boolean", add, with_value(True), with_value(False)),
    Change("CONSTANT_MATCH", "no longer None", lambda x, y: x + (y is None), with_value(None), with_value(1)),
    Change(
        "CONSTANT_MATCH",
        "another dtype",
        lambda x, y: x.to(y) + 1,
        with_value(torch.half),
        with_value(torch.double),
    ),
    Change("EQUALS_MATCH + CONSTANT_MATCH", "of a module", call, with_value(Rated(2)), with_value(Rated(3))),
    Change("CONSTANT_SUBCLASS_MATCH", "another length", add, with_value(Metres(2)), with_value(Metres(3))),
    Change(
        "ID_MATCH",
        "another member",
        lambda x, y: x + (y is Colour.RED),
        with_value(Colour.RED),
        with_value(Colour.BLUE),
    ),
    Change(
        "TYPE_MATCH", "another class", lambda x, y: x + y.k, with_value(Thing(k=1)), with_value(Other(k=1))
    ),
    Change(
        "HASATTR",
        "an attribute",
        lambda x, y: x + hasattr(y, "k"),
        with_value(Thing()),
        with_value(Thing(k=1)),
    ),
    Change(
        "NOT_PRESENT_IN_GENERIC_DICT", "a method of its own", call, and_then(Double), and_then(own_forward)
    ),
    Change("SEQUENCE_LENGTH", "a longer list", lambda x, y: x + y[0], with_value([1]), with_value([1, 2])),
    Change(
        "TUPLE_ITERATOR_LEN",
        "a longer iterator",
        add_next,
        and_then(lambda: iter((1,))),
        and_then(lambda: iter((1, 2))),
    ),
    Change(
        "RANGE_ITERATOR_MATCH",
        "another range",
        add_next,
        and_then(lambda: iter(range(2))),
        and_then(lambda: iter(range(3))),
    ),
    Change(
        "COUNT_ITERATOR_MATCH",
        "another count",
        add_next,
        and_then(lambda: itertools.count(1)),
        and_then(lambda: itertools.count(2)),
    ),
    Change(
        "DICT_CONTAINS + TYPE_MATCH",
        "a key goes",
        lambda x, y: x + ("k" in y),
        with_value({"k": 1}),
        with_value({}),
    ),
    Change(
        "DICT_NOT_CONTAINS", "a key comes", lambda x, y: x + ("k" in y), with_value({}), with_value({"k": 1})
    ),
    Change(
        "DICT_KEYS_MATCH",
        "another key",
        lambda x, y: x + len(list(y.keys())),
        with_value({"a": 1}),
        with_value({"b": 1}),
    ),
    Change(
        "MAPPING_KEYS_CHECK",
        "another key",
        lambda x, y: x + len(dict(y)),
        with_value(types.MappingProxyType({"a": 1})),
        with_value(types.MappingProxyType({"b": 1})),
    ),
    Change(
        "SET_CONTAINS + CONSTANT_MATCH",
        "a member goes",
        lambda x, y: x + (3 in y),
        with_value({3}),
        with_value({4}),
    ),
    Change(
        "SET_NOT_CONTAINS + CONSTANT_MATCH",
        "a member comes",
        lambda x, y: x + (3 in y),
        with_value({4}),
        with_value({3}),
    ),
    Change(
        "CLOSURE_MATCH", "another function", call, with_value(lambda x: x + 1), with_value(lambda x: x + 2)
    ),
    Change("BUILTIN_MATCH", "another builtin", call, with_value(torch.sin), with_value(torch.cos)),
    Change(
        "CLASS_MATCH", "another class", lambda x, y: x + (y is Thing), with_value(Thing), with_value(Other)
    ),
    Change(
        "MODULE_MATCH", "another module", lambda x, y: x + (y is types), with_value(types), with_value(enum)
    ),
    Change(
        "DISPATCH_KEY_SET_MATCH",
        "another key set",
        lambda x, y: x + y.has(torch._C.DispatchKey.CPU),
        with_value(torch._C.DispatchKeySet("CPU")),
        with_value(torch._C.DispatchKeySet("CUDA")),
    ),
    Change("GLOBAL_STATE", "no gradients", plus_one, ones(2), ones(2), torch.no_grad),
    Change(
        "TORCH_FUNCTION_STATE", "a mode", plus_one, ones(2), ones(2), torch.overrides.BaseTorchFunctionMode
    ),
    Change("TORCH_FUNCTION_STATE", "a device", plus_one, ones(2), ones(2), lambda: torch.device("meta")),
    Change(
        "DEFAULT_DEVICE + TORCH_FUNCTION_STATE", "the default", plus_one, ones(2), ones(2), default_device
    ),
    Change("AUTOGRAD_SAVED_TENSORS_HOOKS", "hooks", plus_one, ones(2), ones(2), traced_hooks),
]
# endregion

if __name__ == "__main__":
    print(f"{'kinds':36} entries, and without these kinds")
    for change in CHANGES:
        count, reason = tried(change)
        less, _ = tried(change, change.kinds)
        print(f"{change.kinds:36} {count} {less}  {change.what}: {short(reason)}")
    every = {name for name in vars(GuardBuilder) if name.isupper()}
    broken = {kind for change in CHANGES for kind in change.kinds.split(" + ")}
    print(f"{len(broken & every)} of {len(every)} kinds; not among them:")
    print(*sorted(every - broken), sep="\n")
