"""Run PyTorch's code generators, as shipped in the wheel, on `add`, and print what they write.

Four of the files that `a + b` runs through exist only in a build: the Python binding, the backend's
implementation, the CPU kernel and the CUDA kernel. `--full` prints their C++ instead of the outline.
"""

import re
import sys
from pathlib import Path

import torchgen
from torchgen.dest.ufunc import compute_ufunc_cpu, compute_ufunc_cpu_kernel, compute_ufunc_cuda
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import NativeFunctionsGroup
from torchgen.packaged.autograd.gen_python_functions import (
    is_py_variable_method,
    load_signatures,
    method_impl,
    should_generate_py_binding,
)

# region load
PACKAGED = Path(torchgen.__file__).parent / "packaged"
NATIVE = PACKAGED / "ATen/native"
functions = parse_native_yaml(
    str(NATIVE / "native_functions.yaml"), str(NATIVE / "tags.yaml")
).native_functions
(add,) = (
    group
    for group in get_grouped_native_functions(functions)
    if isinstance(group, NativeFunctionsGroup) and str(group.functional.func.name) == "add.Tensor"
)
# endregion


# region generate
def binding(name):
    """`THPVariable_add`, the method of a tensor that `a + b` calls, with all signatures of that name."""
    public = [function for function in functions if should_generate_py_binding(function)]
    signatures = load_signatures(public, str(PACKAGED / "autograd/deprecated.yaml"), method=True)
    overloads = [
        pair
        for pair in signatures
        if pair.function.func.name.name == name and is_py_variable_method(pair.function)
    ]
    return method_impl(name, None, overloads, method=True)


files = {
    "python_variable_methods.cpp": binding(add.functional.func.name.name),
    "UfuncCPU_add.cpp": compute_ufunc_cpu(add),
    "UfuncCPUKernel_add.cpp": compute_ufunc_cpu_kernel(add),
    "UfuncCUDA_add.cu": compute_ufunc_cuda(add),
}
# endregion


# region outline
CALLS = re.compile(
    r"\b(parser\.parse|handle_torch_function|pybind11::gil_scoped_release|self\.add|add_stub|add_kernel"
    r"|is_cpu_scalar|remove_operand|cpu_kernel(?:_vec)?|gpu_kernel)\b"
)
CASE = re.compile(r"AT_DISPATCH_CASE\(at::ScalarType::(\w+),(.*?)\n\)\n", re.DOTALL)


def calls(text):
    """The calls that matter, in the order in which they are written."""
    return ", ".join(CALLS.findall(text))


def outline(text):
    """What a generated file declares and calls. The cases of its switch over dtypes are numbered."""
    yield from re.findall(r'"(add\(.*?)"|struct (\w+add)\b', text)
    cases = [(f"{i} {dtype}", calls(body)) for i, (dtype, body) in enumerate(CASE.findall(text), 1)]
    for body in dict.fromkeys(body for _, body in cases):
        yield "case " + ", ".join(case for case, other in cases if other == body), "    " + body
    if not cases:
        yield (calls(text[text.rindex("{") if "TORCH_IMPL_FUNC" in text else 0 :]),)


# endregion


if __name__ == "__main__":
    for name, text in files.items():
        print(name)
        if "--full" in sys.argv:
            print(text)
            continue
        for found in outline(text):
            print(*(f"    {line}" for line in found if line), sep="\n")
