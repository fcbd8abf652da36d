"""`inside-torch op` for five operators: the kernel of the CPU, and why it is this one."""

import json
import subprocess
import sys

OPERATORS = ["add.Tensor", "mul.Tensor", "linear", "native_layer_norm", "add.Scalar_out"]


#: Where a call on a CPU tensor looks for a kernel, best first.
KEYS = ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def ask(operator):
    command = [sys.executable, "-m", "inside_torch.cli", "op", operator, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    for operator in OPERATORS:
        facts = ask(operator)
        kernels = {row["key"]: row for row in facts["dispatch"]}
        key = next(key for key in KEYS if key in kernels)
        print(f"{operator}: {kernels[key]['kernel']}")
        print(f"    for {key}, by {kernels[key]['origin']}")
        print(f"    node: {', '.join(entry['node'] for entry in facts['derivatives']) or 'none of its own'}")
