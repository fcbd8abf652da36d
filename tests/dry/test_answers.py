"""What the dry GPU answers of all that torch asks of NVIDIA's libraries, and how it is found and compiled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inside_torch.dry import answers, cuda_build, hold, is_dry
from inside_torch.errors import BookError

from . import on_cuda

ROOT = Path(__file__).parents[2]
VERSION = "__version__ = '2.13.0+cu130'\ncuda: Optional[str] = '{cuda}'\n"
#: What the runtime is asked for and the library deliberately does not answer.
RUNTIME = {"c10_cuda", "torch_cuda", "torch_python"}
UNANSWERED = {
    *("cudaGetSymbolAddress", "cudaMemcpyToSymbol"),  # variables of a device
    # branches of a graph
    *("cudaGraphAddNode", "cudaGraphConditionalHandleCreate", "cudaStreamBeginCaptureToGraph"),
    # memory of another process
    *("cudaIpcCloseMemHandle", "cudaIpcGetMemHandle", "cudaIpcOpenMemHandle"),
    *("cudaIpcGetEventHandle", "cudaIpcOpenEventHandle"),
    *("cudaKernelSetAttributeForDevice", "cudaLibraryGetKernel", "cudaLibraryLoadData", "cudaLibraryUnload"),
    "cudaStreamAddCallback",
}


def packages(folder: Path, cuda: str = "13.0", headers: bool = True) -> Path:
    """A folder of packages that looks like an environment of the CUDA build."""
    found = folder / ".venv-cuda/lib/python3.11/site-packages"
    (found / "torch/lib").mkdir(parents=True)
    (found / "torch/version.py").write_text(VERSION.format(cuda=cuda))
    for header in cuda_build.HEADERS if headers else ():
        file = found / "nvidia/cu13/include" / header
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    return found


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A checkout without an environment, seen by an interpreter without torch, with an empty cache."""
    monkeypatch.setattr(cuda_build.sys, "path", [])
    monkeypatch.setattr(answers.platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    return tmp_path


def rule(function, *arguments) -> str:
    """The rule of the error that a call raises."""
    with pytest.raises(BookError) as caught:
        function(*arguments)
    return caught.value.rule


def test_where_there_is_no_cuda_build(here):
    assert rule(cuda_build.find, here) == "dry-no-build"


def test_a_build_for_another_cuda(here):
    packages(here, cuda="12.9")
    assert rule(cuda_build.find, here) == "dry-version"


def test_where_headers_are_missing(here):
    packages(here, headers=False)
    assert rule(answers.compiled, cuda_build.find(here)) == "dry-headers"


def test_where_there_is_no_compiler(here, monkeypatch):
    packages(here)
    monkeypatch.setenv("PATH", str(here))
    assert rule(answers.compiled, cuda_build.find(here)) == "dry-no-compiler"


def test_headers_that_do_not_compile(here):
    packages(here)
    assert rule(answers.compiled, cuda_build.find(here)) == "dry-compile"
    assert not list((here / "cache").rglob("*.so")), "what failed leaves nothing behind"


def test_this_process_is_not_on_it():
    assert not is_dry()
    with pytest.raises(RuntimeError, match="does not run on it"):
        hold(None)


def test_the_table_holds_what_the_sources_define():
    """The sources' functions, which a machine without CUDA's headers can read too, are all in the table."""
    table = {call.name: call.answer for call in answers.table()}
    text = "\n".join(file.read_text() for file in answers.SOURCES.glob("*.c"))
    defined = re.findall(
        r"^(?:[\w ]+?[ *])((?:__)?(?:cuda|cublas|cudnn|cu|nvml)[A-Z]\w*)\(", text, re.MULTILINE
    )
    assert len(set(defined)) > 100
    assert {name for name in defined if table.get(name) != "answered"} == set()


def test_of_the_runtime_everything_is_answered_but_what_is_named_here():
    runtime = [
        call
        for call in answers.table()
        if call.name.startswith(("cuda", "__cuda")) and RUNTIME & {*call.asked_by}
    ]
    assert len(runtime) > 90
    assert {call.name for call in runtime if call.answer == "refused"} == UNANSWERED
    assert {call.name for call in runtime if call.answer == "passed"} == {"cudaGetErrorName"}


@on_cuda
def test_the_table_is_that_of_this_release():
    """What a new release asks for besides is said here; ``python -m inside_torch.dry.answers`` writes it."""
    assert answers.calls(cuda_build.find(ROOT)) == answers.table()


@on_cuda
def test_it_is_compiled_once():
    build = cuda_build.find(ROOT)
    folder = answers.compiled(build)
    made = (folder / answers.LIBRARY).stat().st_mtime_ns
    assert answers.compiled(build) == folder
    assert (folder / answers.LIBRARY).stat().st_mtime_ns == made
    assert all((folder / link).resolve() == (folder / answers.LIBRARY).resolve() for link in answers.LINKS)
