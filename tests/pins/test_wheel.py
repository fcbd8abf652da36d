"""Where the wheel keeps a repository file, held against the wheel and against what its libraries remember."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT, RELEASE
from inside_torch.pins.resolve import resolve
from inside_torch.pins.wheel import WRAPPED, Wheel

OWN = ("ATen", "c10", "caffe2", "torch")
#: A macro that leaves a witness, or one that is made of such.
MACRO = re.compile(
    r"\b(?:TORCH|AT|C10|CUDA|NCCL|INTERNAL|RECORD|CAFFE)\w*\(|\b[A-Z][A-Z0-9_]{4,}\(|ASSERT|CHECK|ERROR"
)


def test_it_is_found_without_importing_torch():
    code = (
        "import sys; from inside_torch.pins.wheel import Wheel; wheel = Wheel.find();"
        "assert wheel.read('torch/autograd/graph.py').lines; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("version", "commit", "says"),
    [("2.12.1+cpu", COMMIT, "2.12.1"), ("2.13.0", "0" * 40, "0" * 40), ("2.13.0.dev1", COMMIT, "dev1")],
)
def test_another_torch_is_one_error(tmp_path, version, commit, says):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text(f"__version__ = '{version}'\ngit_version = '{commit}'\n")
    with pytest.raises(BookError, match=says) as caught:
        Wheel(tmp_path).check()
    assert RELEASE in caught.value.expected


@pytest.mark.parametrize("local", ["", "+cpu", "+cu130"])
def test_every_build_of_the_release_will_do(tmp_path, local):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text(
        f"__version__ = '{RELEASE}{local}'\ngit_version = '{COMMIT}'\n"
    )
    Wheel(tmp_path).check()


def test_a_folder_named_torch_is_no_wheel(tmp_path):
    with pytest.raises(BookError, match=r"version\.py"):
        Wheel(tmp_path).check()


def test_every_header_of_pytorch_has_one_address(wheel):
    """Each maps to an address whose text is the wheel's, less the line that the packaging put before it."""
    include = wheel.site / "torch" / "include"
    seen: dict[str, Path] = {}
    wrapped = 0
    for top in OWN:
        for file in (include / top).rglob("*"):
            if file.suffix not in (".h", ".hpp", ".cuh"):
                continue
            place = file.relative_to(wheel.site).as_posix()
            path = wheel.repository_path(place)
            assert path is not None and path not in seen, place
            seen[path] = file
            source = wheel.read(path)
            assert source is not None and source.generated == (path == place), place
            text = file.read_text(encoding="utf-8").removesuffix("\n").split("\n")
            wrapped += text[0].startswith(WRAPPED)
            skipped = 1 if text[0].startswith(WRAPPED) and not source.generated else 0
            assert list(source.lines) == text[skipped:], place
    assert len(seen) > 9000
    assert wrapped > 9000


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("aten/src/ATen/native/cuda/CUDALoops.cuh", "torch/include/ATen/native/cuda/CUDALoops.cuh"),
        ("c10/core/TensorImpl.h", "torch/include/c10/core/TensorImpl.h"),
        ("torch/csrc/distributed/c10d/reducer.hpp", "torch/include/torch/csrc/distributed/c10d/reducer.hpp"),
        ("torch/headeronly/util/Half.h", "torch/include/torch/headeronly/util/Half.h"),
        ("torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("torch/_C/_autograd.pyi", "torch/_C/_autograd.pyi"),
        ("torchgen/model.py", "torchgen/model.py"),
        ("tools/autograd/derivatives.yaml", "torchgen/packaged/autograd/derivatives.yaml"),
        ("tools/autograd/gen_variable_type.py", "torchgen/packaged/autograd/gen_variable_type.py"),
        (
            "tools/autograd/templates/VariableType.cpp",
            "torchgen/packaged/autograd/templates/VariableType.cpp",
        ),
        ("aten/src/ATen/native/tags.yaml", "torchgen/packaged/ATen/native/tags.yaml"),
        ("aten/src/ATen/templates/TensorBody.h", "torchgen/packaged/ATen/templates/TensorBody.h"),
    ],
)
def test_where_a_file_lies(wheel, path, place):
    source = wheel.read(path)
    text = (wheel.site / place).read_text(encoding="utf-8").removesuffix("\n").split("\n")
    skipped = 1 if text[0].startswith(WRAPPED) else 0
    assert source is not None and list(source.lines) == text[skipped:] and not source.generated


@pytest.mark.parametrize(
    "path",
    [
        "torch/include/ATen/ops/add_ops.h",
        "torch/include/ATen/core/TensorBody.h",
        "torch/include/ATen/Functions.h",
        "torch/include/torch/csrc/autograd/generated/Functions.h",
        "torch/version.py",
        "torch/nn/functional.pyi",
    ],
)
def test_a_generated_file_has_no_permalink(sources, path):
    pin = resolve(f"src:{path}", sources)
    assert pin.generated and pin.permalink is None


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("torch/include/torch/csrc/autograd/edge.h", "torch/csrc/autograd/edge.h"),
        ("torch/include/ATen/core/Tensor.h", "aten/src/ATen/core/Tensor.h"),
        ("aten/src/ATen/ops/add_ops.h", "torch/include/ATen/ops/add_ops.h"),
        (
            "torch/csrc/autograd/generated/Functions.h",
            "torch/include/torch/csrc/autograd/generated/Functions.h",
        ),
    ],
)
def test_the_other_place_of_a_file_is_named(sources, path, nearest):
    with pytest.raises(BookError) as caught:
        resolve(f"src:{path}", sources)
    assert caught.value.rule == "pin-file"
    assert caught.value.nearest == nearest


def test_a_third_party_header_is_refused(sources):
    with pytest.raises(BookError, match="third party"):
        resolve("src:torch/include/pybind11/pybind11.h", sources)


def test_an_unknown_file_names_the_nearest(sources):
    with pytest.raises(BookError) as caught:
        resolve("src:torch/autograd/grad_mod.py", sources)
    assert caught.value.nearest.startswith("torch/autograd/grad_mode.py")
    with pytest.raises(BookError) as caught:
        resolve("src:c10/autograd/saved_variable.h", sources)
    assert caught.value.nearest.startswith("torch/csrc/autograd/saved_variable.h")


def test_the_offset_of_headers_is_what_the_libraries_say(wheel, libraries):
    """A header's assertion stands on the repository line that the library remembers, and not one line off."""
    headers = [
        p
        for p in wheel.paths()
        if p.startswith(("c10/", "aten/src/ATen/", "torch/csrc/")) and p.endswith(".h")
    ]
    libraries.search(headers)
    right = wrong = next_line = 0
    for path in headers:
        lines = wheel.read(path).lines
        for witness in libraries.witnesses(path):
            if witness.function:
                right += bool(MACRO.search(lines[witness.line - 1]))
                wrong += not MACRO.search(lines[witness.line - 1])
                next_line += bool(MACRO.search(lines[min(witness.line, len(lines) - 1)]))
    assert right > 700
    assert wrong <= right // 50
    assert next_line < right // 3
