"""Run PyTorch's own code generator, as shipped in the wheel, on a few lines of derivatives.yaml.

Prints the steps that the generated forward function takes, in order, and whether the generated node equals
the one that this build of PyTorch was compiled with. `--full` prints the generated C++ as well.
"""

import re
import sys
from pathlib import Path

import torch
import torchgen
from torchgen.api.autograd import match_differentiability_info
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.gen_autograd_functions import FUNCTION_DECLARATION, process_function
from torchgen.packaged.autograd.gen_variable_type import gen_variable_type_func
from torchgen.packaged.autograd.load_derivatives import load_derivatives

OPERATORS = ["mul.Tensor", "exp", "pow.Tensor_Scalar", "mul_.Tensor"]

# region load
PACKAGED = Path(torchgen.__file__).parent / "packaged"
NATIVE = str(PACKAGED / "ATen/native/native_functions.yaml")
TAGS = str(PACKAGED / "ATen/native/tags.yaml")
DERIVATIVES = str(PACKAGED / "autograd/derivatives.yaml")

formulas, _ = load_derivatives(DERIVATIVES, NATIVE, TAGS)
functions = {str(f.func.name): f for f in parse_native_yaml(NATIVE, TAGS).native_functions}
# endregion


# region generate
def generate(operator):
    """The C++ of an operator's autograd kernel and of its node's declaration."""
    (matched,) = match_differentiability_info([functions[operator]], formulas)
    kernel = "".join(gen_variable_type_func(matched)["type_derived_method_definitions_Default"])
    node = process_function(matched.info["Default"], FUNCTION_DECLARATION)
    return kernel, node


# endregion


# region steps
STEPS = {
    r"compute_requires_grad\( (.*?) \)": "compute_requires_grad({})",
    r"check_inplace\((\w+),": "check_inplace({})",
    r"make_intrusive<(\w+)>": "make {}",
    r"collect_next_edges\( (.*?) \)": "collect_next_edges({})",
    r"should_compute_output\((\d)\)": "if edge {} leads somewhere:",
    r"has_value\(\)\) original_self = (self).clone\(\)": "clone {}",
    r"grad_fn->(\w+) = SavedVariable\(": "save {}",
    r"at::(redispatch::\w+)": "{}",
    r"((?:set|rebase)_history)\(": "{}",
}


def steps(kernel):
    """What the kernel does for autograd, in order. Debug checks and forward mode are left out."""
    kernel = re.sub(r"#ifndef NDEBUG.*?#endif", "", kernel, flags=re.DOTALL)
    found = [
        (match.start(), phrase.format(*match.groups()))
        for pattern, phrase in STEPS.items()
        for match in re.finditer(pattern, kernel)
    ]
    return [step for _, step in sorted(found)]


# endregion


if __name__ == "__main__":
    header = Path(torch.__file__).parent / "include/torch/csrc/autograd/generated/Functions.h"
    compiled = header.read_text()
    for operator in OPERATORS:
        kernel, node = generate(operator)
        print(f"{operator}: node as compiled: {node.strip() in compiled}")
        for step in steps(kernel):
            print("   ", step)
        if "--full" in sys.argv:
            print(kernel, node, sep="\n")
