"""The C++ that is written for the package, without compiling it."""

import re
import sys
import tempfile
from pathlib import Path

import torch
from torch._inductor import config

sys.path.insert(0, str(Path(__file__).parent))
from packaged import PLAIN, exported


# region written
def written(settings: dict[str, object] | None = None) -> str:
    """The text of the wrapper and its kernels."""
    program = exported()
    with tempfile.TemporaryDirectory() as folder, config.patch("aot_inductor.output_path", folder):
        files = torch._inductor.aot_compile(
            program.module(),
            *program.example_inputs,
            options=PLAIN
            | {"aot_inductor.package": True, "aot_inductor.package_cpp_only": True}
            | (settings or {}),
        )
        (wrapper,) = (name for name in files if str(name).endswith(".cpp"))
        return Path(wrapper).read_text(encoding="utf-8")


# endregion

#: Lines of `run_impl` that are left out, and what is taken off the others.
LEFT_OUT = re.compile(r"int_array_\d+\[\]|maybe_unused|^//|_handle;$|^RAII|inputs\.clear|int64_t s87")
TAKEN_OFF = re.compile(r"AOTI_TORCH_ERROR_CODE_CHECK\((.*)\);|\((?:const )?float\*\)|cached_torch_|wrap_\w+")


def lines(text: str) -> list[str]:
    """The lines of `run_impl` that say what is called with what."""
    start = text.index(") {", text.index("AOTInductorModel::run_impl("))
    body = text[start:].partition("} // AOTInductorModel::run_impl")[0].splitlines()[1:]
    kept = (line.strip() for line in body if line.strip() and not LEFT_OUT.search(line.strip()))
    return [TAKEN_OFF.sub(r"\1", TAKEN_OFF.sub(r"\1", line)) for line in kept]


def literals(text: str, kernel: str) -> list[str]:
    """The numbers with a point in a kernel, as it is written."""
    return re.findall(r"\d\.\d+", text[text.rindex(f"{kernel}(") :].partition("\n}")[0])


if __name__ == "__main__":
    text = written()
    print(*lines(text), sep="\n")
    print("numbers in cpp_fused_0:", literals(text, "cpp_fused_0"))
