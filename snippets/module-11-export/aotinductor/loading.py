"""What `load_package` starts besides, and what becomes of the answer."""

import logging
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import torch
from torch._inductor import codecache, config, cpp_builder, cpu_vec_isa
from torch._inductor.package import load_package

sys.path.insert(0, str(Path(__file__).parent))
from packaged import inputs, package

PACKAGE = package()
LIBRARY = Path(torch.__file__).parent / "lib" / "libc10.so"


# region listen
class Heard(logging.Handler):
    """Keeps what two loggers say, and which programs are started while it is active."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.started: list[str] = []
        self.active = False
        sys.addaudithook(self.audit)
        for name in "torch._inductor.package.package", "torch.export.pt2_archive._package":
            logging.getLogger(name).addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage().split(": ")[0])

    def audit(self, event: str, arguments: tuple) -> None:
        if event == "subprocess.Popen" and self.active:
            program, *options = map(str, arguments[1])
            purpose = "makes a library" if "-o" in options else options[0]
            verb = "starts" if Path(program).is_file() else "looks for"
            self.started.append(f"{verb} {Path(program).name} {purpose}")


# endregion


# region compiler
@contextmanager
def compiler(script: str | None) -> Iterator[None]:
    """A new cache, this script for the compiler of C++, or none, and nothing known from before."""
    os.environ.pop("ATEN_CPU_CAPABILITY", None)  # it would change the answer
    with tempfile.TemporaryDirectory() as folder:
        name = Path(folder, "g++")
        if script is not None:
            name.write_text(script)
            name.chmod(0o755)
        cpu_vec_isa.valid_vec_isa_list.cache_clear()
        cpu_vec_isa.VecISA._VecISA__bool__impl.cache_clear()
        cpp_builder.get_compiler_version_info.cache_clear()
        with (
            mock.patch.dict(os.environ, TORCHINDUCTOR_CACHE_DIR=str(Path(folder, "cache"))),
            config.patch({"cpp.cxx": (str(name),), "cpp.vec_isa_ok": None}),
        ):
            yield


#: It says a version, and makes no library, but copies one.
COPIES = f"""#!/bin/sh
echo 13.0.0
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then cp {LIBRARY} "$2"; fi
    shift
done
"""
# endregion

heard = Heard()


def direct() -> object:
    """The loader of C++ by itself."""
    return torch._C._aoti.AOTIModelPackageLoader(PACKAGE, "model", False, 1, -1)


def show(what: str, load: object, *given: object) -> None:
    """What was started and said while a package was loaded, and whether it runs."""
    heard.said.clear()
    heard.started.clear()
    heard.active = True
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    model = load(*given)
    heard.active = False
    if not heard.started and resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt > before:
        heard.started.append("starts something by no call of Python")
    run = model if callable(model) else lambda *x: model.run(list(x))[0]
    print(f"{what}:")
    for line in sorted(set(heard.started)):
        print("   ", line.replace(Path(sys.executable).name, "python"))
    for line in heard.said:
        print("    logs", line)
    print("    runs", run(*inputs()).tolist())


if __name__ == "__main__":
    with compiler(COPIES):
        show("the loader itself", direct)
        show("load_package", load_package, PACKAGE)
        show("once more", load_package, PACKAGE)
    with compiler(None):
        show("without a compiler", load_package, PACKAGE)
    other = {"AOTI_CPU_ISA": "ANOTHER"}
    with mock.patch.object(codecache, "get_device_information", lambda device: other):
        show("with other instructions", load_package, PACKAGE)
