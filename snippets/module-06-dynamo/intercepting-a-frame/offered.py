"""Which frames Dynamo is offered in the first two calls of a compiled function, and what it makes of them."""

import linecache
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch._dynamo.convert_frame import CatchErrorsWrapper
from torch._dynamo.decorators import skip

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx" / "the-graph-ir"))
from running_example import centred, inputs

# Frames of Dynamo's own helpers are offered as well. Those that are turned down are left out here.
HELPERS = Path(torch._dynamo.__file__).parent, Path(torch.__file__).parent / "_compile.py"
offers: list[str] = []
original = CatchErrorsWrapper.__call__


def listening(self: CatchErrorsWrapper, frame: Any, *rest: Any) -> Any:
    """The callback, which notes the frame and the answer."""
    answer = original(self, frame, *rest)
    file, name = Path(frame.f_code.co_filename), frame.f_code.co_name.partition("_in_")[0]
    if answer.guarded_code:
        offers.append(f"  {name:22} compiled")
    elif not any(helper == file or helper in file.parents for helper in HELPERS):
        offers.append(f"  {name:22} {answer.skip_reason.partition(':')[0]}")
    return answer


# region cases
def half(value: Any) -> Any:
    """Has no word of torch in it."""
    return value / 2


def loop(*values: Any) -> list[Any]:
    """Breaks inside a loop, so that Dynamo gives up the whole frame."""
    results = []
    for value in values:
        torch._dynamo.graph_break()
        results.append(half(value))
    return results


def generator(x: Tensor) -> Iterator[Tensor]:
    """Its frame is begun when the function is called, and goes on when somebody asks for a value."""
    yield half(x)


@skip
def in_a_thread(x: Tensor) -> None:
    """Is not compiled itself, and calls `half` in another thread."""
    thread = threading.Thread(target=half, args=(x,))
    thread.start()
    thread.join()


class Scaled(nn.Module):
    """A module of our own."""

    def forward(self, x: Tensor) -> Tensor:
        """Half of it."""
        return half(x)


class Holder:
    """No module, with a tensor."""

    def __init__(self, x: Tensor) -> None:
        self.x = x

    def halved(self) -> Tensor:
        """Half of the tensor, with no word of torch."""
        return self.x / 2


class Held(NamedTuple):
    """A named tuple, with a tensor."""

    x: Tensor

    def halved(self) -> Tensor:
        """Half of the tensor, with no word of torch."""
        return self.x / 2


def closing_over(x: Tensor) -> Callable[[int], Tensor]:
    """A function that is called with a number, and closes over a tensor."""

    def times(number: int) -> Tensor:
        return x * number

    return times


def looking_up(x: Tensor) -> Tensor:
    """Calls a function of a file that is on the list, and divides by two."""
    linecache.getline("", 1)
    return x / 2


@skip
def called(function: Callable, *arguments: Any) -> Any:
    """Is not compiled itself, and calls what it is given."""
    return function(*arguments)


x = torch.ones(2)
hooked = nn.ReLU()
hooked.register_forward_hook(skip(lambda *arguments: None))
cases: dict[str, tuple[Callable, tuple[Any, ...]]] = {
    "the running example": (centred, inputs(5)),
    "a loop over a tensor and a number": (loop, (x, 3)),
    "a loop over a number and a tensor": (loop, (3, x)),
    "a generator": (generator, (x,)),
    "a module of ours": (Scaled(), (x,)),
    "an object that holds a tensor": (called, (Holder(x).halved,)),
    "a named tuple that holds one": (called, (Held(x).halved,)),
    "an `OrderedDict` that holds one": (called, (lambda held: held["x"] / 2, OrderedDict(x=x))),
    "a number, and a closure over a tensor": (called, (closing_over(x), 3)),
    "a module of torch.nn": (nn.ReLU(), (x,)),
    "the same with a hook, called": (called, (hooked, x)),
    "a function in C++": (torch.neg, (x,)),
    "a call of a function of `linecache`": (looking_up, (x,)),
}
# endregion

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of builtins that Dynamo meets in the module threading
    CatchErrorsWrapper.__call__ = listening
    for title, (function, arguments) in cases.items():
        torch._dynamo.reset()
        offers.clear()
        fast = torch.compile(function, backend="eager")
        for _ in range(2):
            result = fast(*arguments)
            if isinstance(result, Iterator):
                list(result)
        print(f"{title}:", *offers, sep="\n")
    torch._dynamo.reset()
    offers.clear()
    torch.compile(in_a_thread, backend="eager")(x)
    print("a thread, `half` among the offers:", any("half" in offer for offer in offers))
