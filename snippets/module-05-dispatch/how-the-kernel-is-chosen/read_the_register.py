"""The set of keys that the compiled code works with, read where it is passed: in a register (x86-64)."""

import re
import subprocess
import sys
from pathlib import Path

# A kernel that asks for the keys gets them as its first argument. Its result, a tensor, is written through a
# pointer that takes the first register, so the keys are in the second.
STOPS = (
    "torch::autograd::VariableType::(anonymous namespace)::add_Tensor",
    "at::_ops::add_Tensor::redispatch",
)


def main() -> None:
    commands = ["set startup-with-shell off", "set debuginfod enabled off", "set breakpoint pending on"]
    commands += [f"break {symbol}" for symbol in STOPS]
    commands += ["run", 'printf "keys %#lx\\n", $rsi', "continue", 'printf "keys %#lx\\n", $rsi', "kill"]
    options = [part for command in commands for part in ("-ex", command)]
    program = [sys.executable, str(Path(__file__).with_name("one_add.py"))]
    gdb = subprocess.run(
        ["gdb", "-nx", "-batch", *options, "--args", *program], capture_output=True, text=True, check=True
    )
    found = re.findall(r"^keys (0x\w+)$", gdb.stdout, flags=re.MULTILINE)
    for symbol, keys in zip(STOPS, found, strict=True):
        print(f"{keys:>14}  {symbol}")


if __name__ == "__main__":
    main()
