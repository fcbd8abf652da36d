"""The verb dry, and the log that it reads."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from inside_torch.cli import app
from inside_torch.cli import dry as verb
from inside_torch.dry.launch_log import LaunchLog, short
from inside_torch.errors import BookError
from typer.testing import CliRunner

from . import on_cuda

PROGRAMS = Path(__file__).parents[1] / "fixtures" / "dry"
AT, NAMELESS = "at::native::", "(anonymous namespace)"
LAMBDA = "operator()() const::{lambda(float)#1}"


def refused(*arguments: str) -> BookError:
    """The error that the verb ends with."""
    result = CliRunner().invoke(app, ["dry", *arguments])
    assert isinstance(result.exception, BookError), result.output
    return result.exception


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["nowhere.py"], "dry-program"),
        ([str(PROGRAMS)], "dry-program"),
        (["--memory", "24XB", str(PROGRAMS / "count.py")], "dry-memory"),
        (["--memory", "0", str(PROGRAMS / "count.py")], "dry-memory"),
        (["--devices", "17", str(PROGRAMS / "count.py")], "dry-devices"),
        (["--values", "ones", str(PROGRAMS / "count.py")], "dry-values"),
        (["--log", "no/such/folder/log", str(PROGRAMS / "count.py")], "dry-log"),
        (["--timeline", "no/such/folder/it.svg", str(PROGRAMS / "count.py")], "dry-timeline"),
        (["--timeline", str(PROGRAMS / "count.py"), str(PROGRAMS / "count.py")], "dry-timeline"),
        (["--timeline", str(PROGRAMS), str(PROGRAMS / "count.py")], "dry-timeline"),
    ],
)
def test_bad_input_is_one_error(arguments, rule):
    assert refused(*arguments).rule == rule


def test_a_folder_that_cannot_be_written_is_refused_before_the_program_runs(tmp_path, monkeypatch):
    access = os.access
    monkeypatch.setattr(verb.os, "access", lambda path, mode: path != tmp_path and access(path, mode))
    monkeypatch.setattr(verb, "run_dry", lambda *_, **__: pytest.fail("the program was run"))
    assert refused("--timeline", str(tmp_path / "it.svg"), str(PROGRAMS / "count.py")).rule == "dry-timeline"


def test_without_the_cuda_build_the_verb_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(verb, "ROOT", tmp_path)
    monkeypatch.setattr(verb.cuda_build.sys, "path", [])
    assert "scripts/dev.py setup --build cuda" in refused(str(PROGRAMS / "count.py")).expected


@pytest.mark.parametrize(
    ("text", "count"),
    [("24GB", 24 << 30), ("1.5 GiB", 3 << 29), ("512MB", 512 << 20), ("64kb", 65536), ("7", 7)],
)
def test_sizes(text, count):
    assert verb.size(text) == count


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (
            f"void {AT}vectorized_elementwise_kernel<4, {AT}FillFunctor<float>, std::array<char*, 1> >(int)",
            "vectorized_elementwise_kernel<FillFunctor>",
        ),
        (
            f"void {AT}elementwise_kernel<128, 2, {AT}gpu_kernel_impl_nocast<{AT}direct_copy_kernel_cuda("
            f"at::TensorIteratorBase&)::{LAMBDA}>(at::TensorIteratorBase&)::{LAMBDA}>(int)",
            "elementwise_kernel<direct_copy_kernel_cuda>",
        ),
        (
            f"void {AT}{NAMELESS}::multi_tensor_apply_kernel<{AT}{NAMELESS}::Metadata<1>, "
            f"{AT}{NAMELESS}::BinaryOpScalarFunctor<float, 1, 1, 0>, std::plus<float>, float>(int)",
            "multi_tensor_apply_kernel<BinaryOpScalarFunctor, plus>",
        ),
        ("fmha_cutlassF_f32(PyTorchMemEffAttention::AttentionKernel<float>::Params)", "fmha_cutlassF_f32"),
    ],
)
def test_a_kernel_has_a_short_name(kernel, name):
    assert short(kernel) == name


def test_a_log_is_read_with_its_stacks(tmp_path):
    program, log = tmp_path / "train.py", tmp_path / "log"
    stack = 'Stack (most recent call first):\n  File "/lib/torch/x.py", line 7 in f\n'
    stack += f'  File "{program}", line 3 in g\n'
    calls = [
        {"call": "cudaMalloc", "bytes": 8, "device": 0, "ok": True, "used": 8},
        {"call": "cudaStreamSynchronize", "stream": 0, "where": 1},
        {"call": "cudaStreamSynchronize", "stream": 0, "where": len(stack) + 1},
        {"call": "cudaStreamSynchronize", "stream": 0, "where": 0},
        {"call": "cudaMemcpyAsync", "bytes": 4, "way": "device to host", "known": False},
    ]
    log.write_text("".join(json.dumps(call) + "\n" for call in calls))
    Path(f"{log}.stacks").write_text(stack + stack.replace("line 3", "line 4"))
    read = LaunchLog.load(log)
    assert read.peaks == {0: 8} and read.copied == {"device to host": (1, 4)} and len(read.read_unknown) == 1
    assert read.places(read.calls[1:4], program) == {
        ("cudaStreamSynchronize", "train.py:3"): 1,
        ("cudaStreamSynchronize", "train.py:4"): 1,
        ("cudaStreamSynchronize", "unknown"): 1,
    }
    assert LaunchLog.load(tmp_path / "none").calls == []
    log.write_text('{"call": "cudaMalloc"}\n{"call": "cuda\n')
    with pytest.raises(BookError) as caught:
        LaunchLog.load(log)
    assert (caught.value.rule, caught.value.line) == ("dry-log", 2)


@on_cuda
def test_a_training_step(capfd, tmp_path):
    """The counts are those of torch 2.13.0."""
    log = tmp_path / "log"
    result = CliRunner().invoke(app, ["dry", "--log", str(log), str(PROGRAMS / "step.py")])
    assert result.exit_code == 0 and capfd.readouterr().out == "stepped\n", result.output
    assert result.output.startswith(
        "Run on a GPU that computes nothing: torch 2.13.0 for CUDA 13.0, 1 device of 24.0 GiB."
    )
    assert re.search(
        r"^memory of device 0 +72\.0 MiB of 24\.0 GiB at most; in tensors 69\.\d MiB$", result.output, re.M
    )
    assert re.search(r"^kernels +165 launched by torch, 27 products asked of cuBLAS$", result.output, re.M)
    line = 1 + (PROGRAMS / "step.py").read_text().splitlines().index("torch.cuda.synchronize()")
    assert f"1 at step.py:{line} (cudaDeviceSynchronize)" in result.output
    assert "  20  cublasSgemm\n" in result.output and "values not computed" not in result.output
    assert sum(LaunchLog.load(log).kernels.values()) == 165 + 27


@on_cuda
@pytest.mark.parametrize("values", ["refuse", "zeros"])
def test_a_value_that_is_read(values, capfd):
    result = CliRunner().invoke(app, ["dry", "--values", values, str(PROGRAMS / "step.py"), "loss"])
    said = capfd.readouterr()
    line = len((PROGRAMS / "step.py").read_text().splitlines())
    how = "refused" if values == "refuse" else "given as zeros"
    assert re.search(rf"^values not computed, {how} +1 time\n +1 at step.py:{line} ", result.output, re.M)
    assert (result.exit_code, said.out) == ((1, "stepped\n") if values == "refuse" else (0, "stepped\n0.0\n"))
    if values == "refuse":
        assert said.err.startswith(
            f'Traceback (most recent call last):\n  File "{PROGRAMS / "step.py"}", line {line}'
        )
        assert "the program reads 4 bytes that a kernel has written, or may have" in said.err


@on_cuda
def test_what_does_not_fit(capfd):
    result = CliRunner().invoke(app, ["dry", "--memory", "32MB", str(PROGRAMS / "step.py")])
    assert result.exit_code == 1 and "refused: out of memory" in result.output
    assert "OutOfMemoryError: CUDA out of memory." in capfd.readouterr().err


@on_cuda
def test_what_is_not_answered(capfd):
    result = CliRunner().invoke(app, ["dry", str(PROGRAMS / "unanswered.py")])
    assert result.exit_code == 86 and "it called what is not answered" in result.output
    assert "cufftCreate" in capfd.readouterr().err
