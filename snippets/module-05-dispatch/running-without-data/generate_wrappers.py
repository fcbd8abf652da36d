"""Run torchgen, as shipped in the wheel, on silu_backward, for two keys: two wrappers, one meta function."""

from pathlib import Path

import torchgen
from torchgen.dest.register_dispatch_key import RegisterDispatchKey
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import DispatchKey, NativeFunctionsGroup
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import Target

PACKAGED = Path(torchgen.__file__).parent / "packaged/ATen/native"
parsed = parse_native_yaml(str(PACKAGED / "native_functions.yaml"), str(PACKAGED / "tags.yaml"))


# region generate
def wrapper(operator: str, key: DispatchKey) -> str:
    """The C++ function that is registered for the operator (of the functional kind) at the key."""
    (group,) = (
        group
        for group in get_grouped_native_functions(parsed.native_functions)
        if isinstance(group, NativeFunctionsGroup) and str(group.functional.func.name) == operator
    )
    generator = RegisterDispatchKey(
        parsed.backend_indices[key],
        Target.ANONYMOUS_DEFINITION,
        SelectiveBuilder.get_nop_selector(),
        rocm=False,
        symint=True,
        class_method_name=None,
        skip_dispatcher_op_registration=False,
    )
    return generator(group)[0]


# endregion


if __name__ == "__main__":
    for key in (DispatchKey.Meta, DispatchKey.CPU):
        code = wrapper("silu_backward", key)
        print(key.name)
        for line in code.splitlines():
            if line.startswith(("struct ", "structured_", "op.", "at::Tensor wrapper", "return std::move")):
                print("   ", line)
