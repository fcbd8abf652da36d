"""Run torchgen, as shipped in the wheel, on one operator: what it writes, and into which file.

    python generate_one_operator.py [structured operator] [--full]

A line a piece: the file it goes to, how many lines of C++, the first name it defines. What goes to a header
is compared with the header of this build. `--full` prints the pieces themselves.
"""

import re
import sys
from pathlib import Path

import torch
import torchgen
from torchgen import dest, gen
from torchgen.api.autograd import match_differentiability_info
from torchgen.model import DispatchKey, NativeFunctionsGroup
from torchgen.packaged.autograd import gen_autograd_functions, gen_python_functions
from torchgen.packaged.autograd.gen_variable_type import gen_variable_type_func
from torchgen.packaged.autograd.load_derivatives import load_derivatives
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import Target

INCLUDE = Path(torch.__file__).parent / "include"

# region load
PACKAGED = Path(torchgen.__file__).parent / "packaged"
NATIVE = str(PACKAGED / "ATen/native/native_functions.yaml")
TAGS = str(PACKAGED / "ATen/native/tags.yaml")

entries = gen.parse_native_yaml(NATIVE, TAGS)
groups = [
    group
    for group in gen.get_grouped_native_functions(entries.native_functions)
    if isinstance(group, NativeFunctionsGroup) and group.structured
]
everything = SelectiveBuilder.get_nop_selector()
# endregion


# region aten
def aten(group):
    """What torchgen writes for a structured operator, by the file that it goes to."""
    function, out = group.functional, group.out
    base = function.func.name.name.base
    cpu = entries.backend_indices[DispatchKey.CPU]

    def registered(target):
        return "\n".join(dest.RegisterDispatchKey(cpu, target, everything, False, True, None, False)(group))

    pieces = {
        "RegisterSchema.cpp": gen.RegisterSchema(everything)(function),
        f"ops/{base}_ops.h": gen.ComputeOperators(Target.DECLARATION, [])(function),
        "Operators_N.cpp": gen.ComputeOperators(Target.DEFINITION, [])(function),
        f"ops/{base}.h": gen.ComputeFunction()(function),
        f"ops/{base}_meta.h": gen.compute_meta_function_declaration(group),
        f"ops/{base}_native.h": "".join(dest.compute_native_function_declaration(group, cpu)),
        "RegisterCPU_N.cpp": registered(Target.ANONYMOUS_DEFINITION),
        "RegisterCPU_N.cpp, its end": registered(Target.REGISTRATION),
    }
    if out.ufunc_inner_loop:
        pieces |= {
            f"UfuncCPU_{base}.cpp": dest.compute_ufunc_cpu(group),
            f"UfuncCPUKernel_{base}.cpp": dest.compute_ufunc_cpu_kernel(group),
            f"UfuncCUDA_{base}.cu": dest.compute_ufunc_cuda(group),
        }
    return pieces


# endregion


# region autograd
def autograd(function):
    """What the generators of tools/autograd write for it."""
    formulas, _ = load_derivatives(str(PACKAGED / "autograd/derivatives.yaml"), NATIVE, TAGS)
    (matched,) = match_differentiability_info([function], formulas)
    name = function.func.name.name
    bound = [f for f in entries.native_functions if gen_python_functions.should_generate_py_binding(f)]
    deprecated = str(PACKAGED / "autograd/deprecated.yaml")
    overloads = [
        pair
        for pair in gen_python_functions.load_signatures(bound, deprecated, method=True)
        if pair.function.func.name.name == name and gen_python_functions.is_py_variable_method(pair.function)
    ]
    pieces = {}
    if matched.info and matched.info["Default"].args_with_derivatives:
        info, node = matched.info["Default"], gen_autograd_functions.process_function
        pieces = {
            "generated/Functions.h": node(info, gen_autograd_functions.FUNCTION_DECLARATION),
            "generated/Functions.cpp": node(info, gen_autograd_functions.FUNCTION_DEFINITION),
        }
    pieces["generated/VariableType_N.cpp"] = "".join(
        gen_variable_type_func(matched)["type_derived_method_definitions_Default"]
    )
    if overloads:
        pieces["generated/python_variable_methods.cpp"] = gen_python_functions.method_impl(
            name, None, overloads, method=True
        )
    return pieces


# endregion

#: What a line of C++ defines or registers.
NAME = re.compile(
    r'm\.\w+\("[\w.]+'
    r"|(?<=struct TORCH_API )\w+|(?<=struct )(?!TORCH_API)\w+"
    r"|TORCH_IMPL_FUNC\(\w+\)|[\w:]+(?=\()"
)


def first_name(code):
    for line in code.splitlines():
        text = line.strip()
        if not text.startswith(("//", "using", "DE", "const std::vector")) and (found := NAME.search(text)):
            return found[0].replace('("', " ").removeprefix("m.")
    return ""


def as_compiled(file, code):
    """Whether a header of this build holds the piece, blanks aside; nothing for what is no header."""
    path = INCLUDE / ("torch/csrc/autograd" if file.startswith("generated/") else "ATen") / file
    if path.suffix != ".h":
        return ""
    return f"in the wheel: {' '.join(code.split()) in ' '.join(path.read_text().split())}"


if __name__ == "__main__":
    wanted = next((word for word in sys.argv[1:] if not word.startswith("-")), "add.Tensor")
    group = next((group for group in groups if str(group.functional.func.name) == wanted), None)
    if group is None:
        sys.exit(f"{wanted} is not the functional form of a structured operator, as mul.Tensor is")
    for file, code in (aten(group) | autograd(group.functional)).items():
        lines = sum(1 for line in code.splitlines() if line.strip())
        print(f"{file:38}{lines:4} {first_name(code):42}{as_compiled(file, code)}".rstrip())
        if "--full" in sys.argv:
            print(code)
