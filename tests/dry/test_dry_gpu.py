"""Programs of the CUDA build on a machine without a GPU: its host side is real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside_torch.dry import cuda_build
from inside_torch.dry.dry_run import REFUSED, DryGpu, run_dry
from inside_torch.dry.launch_log import LaunchLog

from . import on_cuda

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "fixtures" / "dry"
pytestmark = on_cuda


def run(program: str, folder: Path, *arguments: str, gpu: DryGpu) -> tuple[int, str, str, LaunchLog]:
    """Status, output and errors of a program of the fixtures, and its log."""
    log = folder / "log"
    done = run_dry(cuda_build.find(ROOT), PROGRAMS / program, arguments, gpu=gpu, log=log, capture=True)
    return done.returncode, done.stdout, done.stderr, LaunchLog.load(log)


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """What the program of everything says, and its log."""
    gpu = DryGpu(devices=2, memory=2 << 30)
    status, out, errors, log = run("everything.py", tmp_path_factory.mktemp("dry"), gpu=gpu)
    assert status == 0, out + errors
    return json.loads(out), log


def test_it_knows_where_it_is(host):
    said, _ = host
    assert said["dry"] and said["devices"] == 2
    assert said["memory"] == [(2 << 30), (2 << 30)]


def test_copies_keep_their_values(host):
    said, log = host
    assert said["copied"] == [1.0, 2.0, 3.0]
    assert said["over a peer"] == [5.0, 6.0]
    assert {"host to device", "device to host", "peer to peer"} <= log.copied.keys()


def test_a_value_that_a_kernel_would_compute_is_refused(host):
    said, _ = host
    assert said["computed"].startswith("AcceleratorError: CUDA error: the dry GPU computes nothing")
    assert "at::native::vectorized_elementwise_kernel" in said["computed"]
    assert said["nonzero"].startswith("AcceleratorError: CUDA error: the dry GPU computes nothing")
    assert "has no time" in said["elapsed"]


def test_backward_runs_on_a_thread_of_its_own(host):
    said, log = host
    assert said["backward"] == "pt_autograd_0"
    launches = [call for call in log.calls if call.get("thread") == "pt_autograd_0"]
    assert any("cublas" in call["call"] for call in launches)


def test_a_launch_is_noted_with_its_grid(host):
    _, log = host
    add = [call for call in log.calls if "CUDAFunctorOnSelf_add<float>" in call.get("kernel", "")]
    assert add[0]["grid"] == [1, 1, 1] and add[0]["block"] == [128, 1, 1] and add[0]["stream"] == 0
    assert log.kernels["vectorized_elementwise_kernel<CUDAFunctorOnSelf_add>"] >= 1


def test_pinned_memory(host):
    said, log = host
    assert said["pinned"] == [True, False]
    assert any(call["call"] == "cudaHostAlloc" for call in log.calls)


def test_a_block_waits_for_the_stream_that_uses_it(host):
    """Of a stream that lags, a block is used again only where nobody recorded it."""
    said, _ = host
    assert said["reused while the stream lags"] == {
        "not recorded": True,
        "recorded": False,
        "recorded, then done": True,
    }


def test_out_of_memory_has_its_real_words(host):
    said, log = host
    assert said["out of memory"].startswith(
        "OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB."
    )
    assert "total capacity of 2.00 GiB" in said["out of memory"]
    assert log.peaks[0] <= 2 << 30


def test_a_graph_holds_its_nodes_and_their_order(host):
    said, log = host
    (end,) = [call for call in log.calls if call["call"] == "cudaStreamEndCapture" and call["ok"]]
    assert end["nodes"] == 3 and said["graph"].count("kernel:") == 3 and said["graph"].count("->") == 2
    assert [call["kernels"] for call in log.calls if call["call"] == "cudaGraphLaunch"] == [3]


def test_a_wait_in_a_capture_is_an_error(host):
    said, _ = host
    assert said["item in a capture"] == "operation not permitted when stream is capturing"


def test_snapshot(host):
    said, _ = host
    assert said["segments"] >= 1 and said["snapshot"] >= 1


@pytest.mark.parametrize("setting", ["", "expandable_segments:True"])
def test_fragmentation_and_its_cure(setting, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", setting)
    status, out, errors, log = run("fragmentation.py", tmp_path, gpu=DryGpu(memory=2 << 30))
    assert status == 0, errors
    assert out.startswith("fits" if setting else "CUDA out of memory. Tried to allocate 1.17 GiB.")
    assert any(call["call"] == "cuMemMap" for call in log.calls) == bool(setting)


def test_a_call_that_is_not_answered_ends_the_program_with_its_name(tmp_path):
    status, out, errors, log = run("unanswered.py", tmp_path, gpu=DryGpu())
    assert status == REFUSED and out == "before\n"
    assert "the program called cufftCreate, which the dry GPU does not answer" in errors
    assert 'unanswered.py", line 5' in errors
    assert log.calls[-1] | {"pid": 0} == {
        "call": "cufftCreate",
        "pid": 0,
        "thread": "python",
        "refused": True,
    }


@pytest.mark.parametrize("values", ["refuse", "zeros"])
def test_a_scaler_reads_whether_it_overflowed(values, tmp_path):
    status, out, errors, _ = run("scaler.py", tmp_path, gpu=DryGpu(values=values))
    assert (status, out) == ((0, "stepped\n") if values == "zeros" else (1, "")), errors
    assert ("AcceleratorError" in errors) == (values == "refuse")


def test_no_device_at_all(tmp_path):
    status, out, errors, _ = run("count.py", tmp_path, gpu=DryGpu(devices=0))
    assert (status, out) == (0, "0 False\n"), errors


def test_ranks_in_one_process_and_copies_between_two(tmp_path):
    """NCCL's collectives act as if each rank held the same; gloo's copies are real, and so are its sums."""
    status, out, errors, log = run("distributed.py", tmp_path, gpu=DryGpu())
    assert status == 0, errors
    first, second, *rest = out.splitlines()
    assert first == "nccl [[3.0, 4.0], [3.0, 4.0]]" and rest == ["gloo [2.0, 4.0]"] * 2
    assert second == "sharded [128, 256] [128, 256]"
    reduced = [call for call in log.calls if call["call"] == "ncclAllReduce"]
    assert [(call["bytes"], call["thread"]) for call in reduced] == [(512 * 512 * 4, "pt_autograd_0")] * 2
    assert len({call["pid"] for call in log.calls}) == 3
    shard = 128 * 256 * 4
    gathered, scattered = (
        [call for call in log.calls if call["call"] == name and call["bytes"] == shard]
        for name in ("ncclAllGather", "ncclReduceScatter")
    )
    # Each layer is gathered for forward and again for backward; its gradient is scattered on another stream.
    assert [call["thread"] for call in gathered] == ["python"] * 2 + ["pt_autograd_0"] * 2
    assert [call["thread"] for call in scattered] == ["pt_autograd_0"] * 2
    assert not {call["stream"] for call in gathered} & {call["stream"] for call in scattered}


def test_a_compiled_function_launches_the_kernel_that_triton_made(tmp_path):
    """Inductor times the kernel before it takes it, which only the setting ``zeros`` answers."""
    status, out, errors, log = run("compiled.py", tmp_path, gpu=DryGpu(values="zeros"))
    assert (status, out) == (0, "(64,)\n"), errors
    launches = [call for call in log.calls if "triton_" in call.get("kernel", "")]
    assert {call["kernel"] for call in launches} == {"triton_per_fused_add_relu_sin_sum_0"}
    assert launches[-1]["grid"] == [64, 1, 1]


def test_a_kernel_that_cudas_compiler_makes_at_run_time_is_launched(tmp_path, monkeypatch):
    monkeypatch.setenv("USE_PYTORCH_KERNEL_CACHE", "0")
    status, out, errors, log = run("compiled_from_text.py", tmp_path, gpu=DryGpu())
    assert (status, out) == (0, "torch.Size([])\n"), errors
    assert list(log.kernels) == ["reduction_prod_kernel"]
