"""Each way makes something callable of a function and its example; the rest is the same for all."""

import copy
import warnings

import torch

WAYS = ("trace", "script", "fx", "export", "compile")


def export(function, example):
    """`torch.export` takes a module, so the function becomes the forward of one."""

    class Wrapper(torch.nn.Module):
        def forward(self, *args):
            return function(*args)

    return torch.export.export(Wrapper(), example).module()


CAPTURE = {
    "trace": lambda function, example: torch.jit.trace(function, example, check_trace=False),
    "script": lambda function, example: torch.jit.script(function),
    "fx": lambda function, example: torch.fx.symbolic_trace(function),
    "export": export,
    "compile": lambda function, example: torch.compile(function, backend="eager", fullgraph=True),
}


def agrees(captured, function, arguments):
    """Whether both return the same, each on a copy of its own. `torch.equal` does not look at the dtype."""
    expected = function(*copy.deepcopy(arguments))
    found = captured(*copy.deepcopy(arguments))
    return found.dtype == expected.dtype and torch.equal(found, expected)


def verdict(capture, function, example, others):
    """One of the three words."""
    torch._dynamo.reset()
    try:
        captured = capture(function, copy.deepcopy(example))
        same = agrees(captured, function, example)
    except Exception:
        return "refuses"
    try:
        return "same" if same and all(agrees(captured, function, other) for other in others) else "differs"
    except Exception:
        return "differs"


def verdicts(function, example, others):
    """What each way makes of a function: "same", "differs" or "refuses"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {way: verdict(CAPTURE[way], function, example, others) for way in WAYS}
