"""What a trace and a script keep of an expression, and a conversion of a script, from a few lines of text."""

import linecache
import textwrap
import warnings
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch._export.converter import TS2EPConverter


def defined(name: str, source: str) -> Callable:
    """The function of that name in a source that is kept where Python looks for lines."""
    file = f"<{abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), scope := {"torch": torch, "__name__": __name__})
    return scope[name]


def function(expression: str) -> Callable:
    """A function of `x` that returns the expression."""
    return defined("function", f"def function(x):\n    return {expression}\n")


def module(body: str) -> nn.Module:
    """A module with a buffer `seen` and a number `count`, and a forward of these lines."""
    forward = defined("forward", "def forward(self, x):\n" + textwrap.indent(body, "    ") + "\n")
    made = type("Made", (nn.Module,), {"forward": forward, "__module__": __name__})()
    made.register_buffer("seen", torch.zeros(1))
    made.count = 0
    return made


def outcome(call: Callable, x: Tensor) -> Tensor | str:
    """What a call returns for a copy of `x`, or the name of what it raises."""
    try:
        return call(x.clone())
    except Exception as error:
        return type(error).__name__


def compared(expected: Tensor | str, result: Tensor | str) -> str:
    """One word on two outcomes."""
    if isinstance(expected, str) or isinstance(result, str):
        return "same" if expected == result else "raises"
    return "same" if expected.shape == result.shape and torch.equal(expected, result) else "DIFFERS"


def converted(body: str, example: Tensor, inputs: list[Tensor]) -> str:
    """Whether a script and what it is converted to agree, call for call; or why it is not converted."""
    script = torch.jit.script(module(body))
    try:
        program = TS2EPConverter(torch.jit.script(module(body)), (example.clone(),)).convert().module()
    except Exception as error:
        while error.__cause__:
            error = error.__cause__
        return "refused: " + str(error).partition(", found ")[0].splitlines()[0]
    return " ".join(compared(outcome(script, x), outcome(program, x)) for x in inputs)


# region cases
ones, three = torch.ones(2, 2), torch.arange(6.0).reshape(3, 2)
CASES = {
    "x * 2 if x.sum() > 0 else x - 1": -3 * ones,
    "x * 2 if x.shape[0] == 2 else x - 1": three,
    "x * 2 if x.dim() == 2 else x - 1": ones[0],
    "x * 2 if x.dtype == torch.float32 else x - 1": ones.double(),
    "x * float(x.max())": 3 * ones,
    "x + len(x)": three,
    "[x[i] for i in range(x.shape[0])][-1]": three,
    "torch.cat([row for row in x])": three,
    "x + x.shape[0]": three,
    "x.reshape(x.shape[0] * 2, -1)": three,
    "torch.where(x.sum() > 0, x * 2, x - 1)": -3 * ones,
}
# endregion


def main() -> None:
    """A line for each expression: whether the trace warned, then the trace and the script beside eager."""
    print(f"{'':46}{'trace':9}{'script':8}making the trace")
    for text, other in CASES.items():
        eager = function(text)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            captures = torch.jit.trace(eager, ones), torch.jit.script(eager)
        warned = any(one.category is torch.jit.TracerWarning for one in told)
        trace, script = (compared(outcome(eager, other), outcome(one, other)) for one in captures)
        print(f"{text:46}{trace:9}{script:8}{'warned' if warned else 'silent'}")


if __name__ == "__main__":
    main()
