"""The library of the dry GPU: compiled when first needed, and which of NVIDIA's calls it answers."""

from __future__ import annotations

import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from inside_torch.dry.cuda_build import CudaBuild, compiler, find
from inside_torch.errors import BookError
from inside_torch.files import write_whole

SOURCES = Path(__file__).parent / "c"
#: What each call of torch's gets for an answer, as :func:`calls` finds it.
TABLE = SOURCES / "calls.tsv"
LIBRARY = "libdry.so"
#: The library of torch's that looks calls up by their names.
LOOKING_UP = "libc10_cuda"
#: What is loaded by name and is the same library.
LINKS = ("libcuda.so.1", "libnvidia-ml.so.1")
NVIDIA = re.compile(
    r"(?:__)?(?:cuda|cu|nccl|nvrtc|nvml)[A-Z]\w*|(?:cublas|cudnn|cufft|curand|cusolver|cusparse|cupti)\w+"
)
#: What the real libraries answer without a device: versions, texts, and the compiler of kernels.
PASSED = re.compile(
    r"nvrtc\w+|cupti\w+|(?:cudnn|nccl|cublasLt?)Get(?:Version|CudartVersion|Property)"
    r"|\w+GetErrorName|(?!cuda|cu[A-Z])\w+Get(?:Last)?ErrorString"
)
FLAGS = ("-std=gnu11", "-O1", "-g", "-fPIC", "-shared", "-Wall", "-Wextra", "-Wno-unused-parameter")


@dataclass(frozen=True, order=True)
class Call:
    """One of NVIDIA's calls: ``answered``, ``refused`` or ``passed`` on, and who asks for it."""

    name: str
    answer: str
    asked_by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\t".join((self.name, self.answer, " ".join(self.asked_by)))


def asked(build: CudaBuild) -> dict[str, tuple[str, ...]]:
    """The calls that torch's libraries and Triton ask for, and which of them do.

    They import them from NVIDIA's libraries, or look them up by name in the driver and in NVML.
    """
    found: dict[str, list[str]] = {}
    declared = set(re.findall(rb"\bcu[A-Z]\w+(?=\()", (build.includes[0] / "cuda.h").read_bytes()))
    for library in build.libraries:
        names = {name for name in _symbols(library, "--undefined-only") if NVIDIA.fullmatch(name)}
        if library.stem == LOOKING_UP:
            texts = set(re.findall(rb"(?<=\0)(?:cu|nvml)[A-Z]\w+(?=\0)", library.read_bytes()))
            names |= {text.decode() for text in texts if text in declared or text.startswith(b"nvml")}
        for name in names:
            found.setdefault(name, []).append(library.stem.removeprefix("lib"))
    for name in set(re.findall(rb"\bcu[A-Z]\w+", _triton(build))) & declared:
        found.setdefault(name.decode(), []).append("triton")
    return {name: tuple(who) for name, who in sorted(found.items())}


def _triton(build: CudaBuild) -> bytes:
    """What Triton compiles on the machine, to call the driver."""
    file = build.packages / "triton" / "backends" / "nvidia" / "driver.c"
    return file.read_bytes() if file.is_file() else b""


def _symbols(library: Path, which: str) -> list[str]:
    try:
        listed = subprocess.run(
            ["nm", "-D", which, library], capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BookError("dry-nm", f"nm cannot list the symbols: {error}", "binutils", file=library) from None
    return [line.split()[-1].partition("@")[0] for line in listed.splitlines()]


def calls(build: CudaBuild) -> list[Call]:
    """Every call that torch imports from NVIDIA's libraries or that the library answers, with its answer."""
    folder, wanted = compiled(build), asked(build)
    traps = set(re.findall(r"^void (\w+)\(", (folder / "refused.c").read_text("utf-8"), re.MULTILINE))
    here = {name for name in _symbols(folder / LIBRARY, "--defined-only") if NVIDIA.fullmatch(name)}
    return sorted(
        Call(
            name,
            "refused" if name in traps else "answered" if name in here else "passed",
            wanted.get(name, ()),
        )
        for name in here | wanted.keys()
    )


def table() -> list[Call]:
    """The calls as they are written down in :data:`TABLE`."""
    found = []
    for line in TABLE.read_text("utf-8").splitlines():
        name, answer, who = line.split("\t")
        found.append(Call(name, answer, tuple(who.split())))
    return found


def compiled(build: CudaBuild) -> Path:
    """The folder with the library and its links, made where it is not in the cache."""
    includes, program = build.includes, compiler()
    parts = [file.read_bytes() for file in sorted(SOURCES.glob("*.[ch]"))]
    parts += [f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}".encode() for file in build.libraries]
    parts += [" ".join([program, *FLAGS, *map(str, includes)]).encode(), Path(__file__).read_bytes()]
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]
    folder = platformdirs.user_cache_path("inside-torch") / "dry" / digest
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        _compile(build, program, Path(made) / "it")
        try:
            (Path(made) / "it").rename(folder)
        except OSError:  # another process was faster
            if not folder.is_dir():
                raise
    return folder


def _compile(build: CudaBuild, program: str, folder: Path) -> None:
    """Compile once to learn what is answered, and link again with a trap for each call that is not."""
    folder.mkdir()
    headers = [part for include in build.includes for part in ("-isystem", str(include))]
    objects = []
    for source in sorted(SOURCES.glob("*.c")):
        objects.append(folder / f"{source.stem}.o")
        _run(program, *FLAGS, *headers, "-c", str(source), "-o", str(objects[-1]))
    _run(program, "-shared", *map(str, objects), "-o", str(folder / LIBRARY), "-ldl", "-lpthread")
    here = set(_symbols(folder / LIBRARY, "--defined-only"))
    here |= {re.sub(r"_v\d$", "", name) for name in here}
    names = [name for name in asked(build) if name not in here and not PASSED.fullmatch(name)]
    traps = ["_Noreturn void refuse(const char *call);"]
    traps += [f'void {name}(void) {{ refuse("{name}"); }}' for name in names]
    (folder / "refused.c").write_text("\n".join(traps) + "\n")
    _run(
        program,
        *FLAGS,
        str(folder / "refused.c"),
        *map(str, objects),
        "-o",
        str(folder / LIBRARY),
        "-ldl",
        "-lpthread",
    )
    for one in objects:
        one.unlink()
    for link in LINKS:
        (folder / link).symlink_to(LIBRARY)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-12:])
        raise BookError(
            "dry-compile", f"the compiler gives up:\n{last}", "CUDA 13's headers and a C11 compiler"
        )


def write_table(build: CudaBuild) -> None:
    """Write the calls of a build down in :data:`TABLE`."""
    write_whole(TABLE, "".join(f"{call}\n" for call in calls(build)))


if __name__ == "__main__":
    write_table(find(SOURCES.parents[3]))
