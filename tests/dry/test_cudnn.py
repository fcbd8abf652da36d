"""What the dry GPU answers of cuDNN: up to the call, whose arguments are noted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from inside_torch.cli import app
from inside_torch.cli.dry import TOO_LOW, show
from inside_torch.dry.dry_run import DryGpu
from inside_torch.dry.launch_log import LaunchLog
from typer.testing import CliRunner

from . import on_cuda

PROGRAM = Path(__file__).parents[1] / "fixtures" / "dry" / "cudnn.py"


@pytest.fixture(scope="module")
def noted(tmp_path_factory):
    """What the program says of itself, the table, and the operations of its log, by their names."""
    folder = tmp_path_factory.mktemp("cudnn")
    said, log = folder / "said", folder / "log"
    result = CliRunner().invoke(app, ["dry", "--all", "--log", str(log), str(PROGRAM), str(said)])
    assert result.exit_code == 0, result.output
    operations: dict[str, list[dict]] = {}
    for call in LaunchLog.load(log).cudnn:
        operations.setdefault(call["operation"], []).append(call)
    return json.loads(said.read_text()), result.output, operations


def tensor(sizes, strides, kind):
    """A tensor as the log notes it."""
    return {"sizes": sizes, "strides": strides, "type": kind}


@on_cuda
def test_each_operation_has_its_row(noted):
    """The counts are those of torch 2.13.0.

    A convolution that is measured runs three times at first: to warm up, for its time, and in earnest.
    """
    _, table, operations = noted
    assert {name: len(calls) for name, calls in operations.items()} == {
        "convolution forward": 1 + 1 + 3 + 1 + 1 + 3 + 1,
        **{"convolution backward data": 1 + 1, "convolution backward filter": 2},
        **{"batch norm forward": 1, "batch norm backward": 1, "batch norm inference": 1},
        **{"rnn forward": 2, "rnn backward data": 2, "rnn backward weights": 2},
        **{"attention forward": 2, "attention backward": 2},
    }
    for name, calls in operations.items():
        assert re.search(rf"^ +{len(calls)}  cudnn {name}$", table, re.M)
    assert ", 28 operations of cuDNN" in table
    assert re.search(rf"asked of the device ─+\n{re.escape(TOO_LOW)}\nmemory of device 0 ", table)


@on_cuda
def test_a_convolution_is_noted_with_its_layout(noted):
    """Channels last, in two groups; backward runs on the thread of autograd."""
    _, _, operations = noted
    names = ("convolution forward", "convolution backward data", "convolution backward filter")
    first = [operations[name][0] for name in names]
    for call in first:
        assert call["x"] == tensor([2, 4, 8, 8], [256, 1, 32, 4], "bfloat16")
        assert call["w"] == tensor([6, 2, 3, 3], [18, 1, 6, 2], "bfloat16")
        assert (call["padding"], call["stride"], call["dilation"]) == ([1, 1], [2, 2], [1, 1])
        assert (call["groups"], call["workspace"], call["device"]) == (2, 0, 0)
    assert [call["thread"] for call in first] == ["python", "pt_autograd_0", "pt_autograd_0"]


@on_cuda
def test_a_transposed_convolution_runs_the_backward_of_one(noted):
    _, _, operations = noted
    transposed = operations["convolution backward data"][1]
    assert transposed["thread"] == "python" and transposed["y"]["sizes"] == [2, 4, 1, 8]
    assert operations["convolution forward"][1]["thread"] == "pt_autograd_0"


@on_cuda
def test_a_capture_and_a_fusion(noted):
    """The captured convolution runs on the stream of the capture; the fused one is of four operations."""
    _, _, operations = noted
    streams = [call["stream"] for call in operations["convolution forward"]]
    assert [place for place, stream in enumerate(streams) if stream] == [6]
    assert [call["operations"] for call in operations["convolution forward"]].count(4) == 3


@on_cuda
def test_recurrent_networks(noted):
    """Their weights lie in one buffer without a gap. That of dropout reads its seed from the device."""
    said, _, operations = noted
    assert said["weights in one buffer"] and said["buffer"]
    lstm, gru = operations["rnn forward"]
    assert (lstm["cell"], lstm["layers"], lstm["directions"], lstm["projected"]) == ("lstm", 2, 2, 3)
    assert (gru["cell"], gru["steps"], gru["batch"], gru["hidden"]) == ("gru", 7, 2, 8)
    assert "the program reads 8 bytes" in said["dropout"] and "random_kernel" in said["dropout"]


@on_cuda
def test_attention(noted):
    """Of heads of 64 in bfloat16; PyTorch numbers query, key, value and result from 0 on."""
    _, _, operations = noted
    plain, causal = operations["attention forward"]
    lengths = [plain["tensors"][name]["sizes"] for name in "0123"]
    assert lengths == [[2, 4, 16, 64], [2, 4, 24, 64], [2, 4, 24, 64], [2, 4, 16, 64]]
    assert plain["operations"] == 1 and causal["operations"] > 1
    assert {call["thread"] for call in operations["attention backward"]} == {"pt_autograd_0"}


@on_cuda
def test_no_value_is_known_after_a_convolution(noted):
    said, _, _ = noted
    assert said["before"] == [1.0] and "the program reads 4 bytes" in said["after"]


def test_only_work_counts():
    """Calls that only prepare something are no operations."""
    calls = [{"call": "cudnnCreate", "device": 0}, {"call": "cudnnRNNForward", "operation": "rnn forward"}]
    assert LaunchLog(calls).kernels == {"cudnn rnn forward": 1}


@pytest.mark.parametrize("operation", ["rnn forward", "convolution forward"])
def test_the_memory_of_a_recurrent_network_is_said_to_be_too_low(operation, capsys):
    """Before any number, and where none was called not at all."""
    asked = {"call": "cudnnRNNForward", "operation": operation, "device": 0, "stream": 0}
    log = LaunchLog([{"call": "cudaMalloc", "bytes": 8, "device": 0, "ok": True, "used": 8}, asked])
    show(log, DryGpu(), PROGRAM, every=False)
    assert capsys.readouterr().out.startswith(TOO_LOW + "\n") == operation.startswith("rnn")
