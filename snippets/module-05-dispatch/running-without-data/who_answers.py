"""For every ATen operator: who says what shape its result has, when the arguments have no data?"""

from collections import Counter
from pathlib import Path

import torch
import torchgen
from torch._decomp import global_decomposition_table
from torchgen.gen import parse_native_yaml

# region sort
PACKAGED = Path(torchgen.__file__).parent / "packaged/ATen/native"


def who(operator: str) -> str:
    """What a call finds in the slot `Meta`, a line such as `Meta: registered at x.py:54 :: … [kernel]`."""
    table = torch._C._dispatch_dump_table(operator).splitlines()
    (slot,) = (line for line in table if line.startswith("Meta:"))
    if slot.endswith("[backend fallback]"):
        return "nobody"
    if slot.endswith(("[math kernel]", "[default backend kernel]")):
        return "a kernel for all backends"
    if ".py:" not in slot:
        return "C++"
    return "Python, over C++" if "Meta (inactive)" in torch._C._dispatch_dump(operator) else "Python"


# endregion


if __name__ == "__main__":
    operators = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")]
    answers = {name: who(name) for name in operators}
    for answer, count in Counter(answers.values()).most_common():
        print(f"{count / len(operators):4.0%} {answer}")

    declared = parse_native_yaml(str(PACKAGED / "native_functions.yaml"), str(PACKAGED / "tags.yaml"))
    structured = [
        f"aten::{function.func.name}"
        for function in declared.native_functions
        if function.structured or function.structured_delegate
    ]
    print(len(structured), "of them structured:")
    for answer, count in Counter(answers[name] for name in structured).most_common():
        print(f"{count:5} {answer}")
    in_python = {op.name() for table in global_decomposition_table.values() for op in table}
    print(
        "      with a function in Python:", [n for n in structured if answers[n] == "C++" and n in in_python]
    )
    for name in ("add.Tensor", "silu_backward", "matmul", "nonzero", "geqrf"):
        print(f"{name:14} {answers['aten::' + name]}")
