"""`inside-torch op` for five operators: the kernel of the CPU, and why it is this one."""

import io
import json
from contextlib import redirect_stdout

from inside_torch.cli import app

OPERATORS = ["add.Tensor", "mul.Tensor", "linear", "native_layer_norm", "add.Scalar_out"]


#: Where a call on a CPU tensor looks for a kernel, best first.
KEYS = ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def ask(operator):
    """What the command prints; its modules are imported once, and not by a process for each operator."""
    with redirect_stdout(io.StringIO()) as printed:
        app(["op", operator, "--json"], standalone_mode=False)
    return json.loads(printed.getvalue())


if __name__ == "__main__":
    for operator in OPERATORS:
        facts = ask(operator)
        kernels = {row["key"]: row for row in facts["dispatch"]}
        key = next(key for key in KEYS if key in kernels)
        print(f"{operator}: {kernels[key]['kernel']}")
        print(f"    for {key}, by {kernels[key]['origin']}")
        print(f"    node: {', '.join(entry['node'] for entry in facts['derivatives']) or 'none of its own'}")
