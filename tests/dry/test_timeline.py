"""The picture of a run: what stands in it, from logs that are made up, and from a run of the CUDA build."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from inside_torch.cli import app
from inside_torch.dry.launch_log import LaunchLog
from inside_torch.dry.timeline import COLUMNS, STYLE, listing, timeline
from typer.testing import CliRunner

from . import on_cuda

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "fixtures" / "dry" / "two_streams.py"
GB = 1 << 30
SVG = "{http://www.w3.org/2000/svg}"
FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, X>(int)"


def call(name: str, thread: str = "python", pid: int = 1, **fields: Any) -> dict[str, Any]:
    """A line of the log."""
    return {"call": name, "pid": pid, "thread": thread, **fields}


def launch(kernel: str = FILL, stream: int = 0, **fields: Any) -> dict[str, Any]:
    """The launch of a kernel."""
    at = {"stream": stream, "device": 0}
    return call("cudaLaunchKernel", kernel=kernel, grid=[4, 1, 1], block=[128, 1, 1], **at | fields)


def picture(*calls: dict[str, Any], memory: int = GB) -> tuple[list[tuple[str, str]], list[str]]:
    """The marks of a picture, each with its class and what it says, and the texts."""
    root = ElementTree.fromstring(timeline(LaunchLog(list(calls)), memory, PROGRAM))
    assert root.tag == f"{SVG}svg"
    marks = [
        (shape.get("class", ""), said.text or "")
        for shape in root.iter()
        if (said := shape.find(f"{SVG}title")) is not None and shape is not root
    ]
    return marks, [text.text or "" for text in root.iter(f"{SVG}text")]


def test_neighbours_of_one_name_are_one_mark():
    marks, texts = picture(launch(), launch(), launch(), launch("other(int)"), launch(thread="pt_autograd_0"))
    assert [said for css, said in marks if css == "mark kernel"] == [
        "calls 1 to 3: 3 × vectorized_elementwise_kernel<FillFunctor>; by python",
        "call 4: other, grid 4×1×1, block 128×1×1; by python",
        "call 5: vectorized_elementwise_kernel<FillFunctor>, grid 4×1×1, block 128×1×1; by pt_autograd_0",
    ]
    assert {"python", "pt_autograd_0", "stream 0", "kernels"} <= {*texts}
    assert ("thread", "pt_autograd_0 submits call 5") in marks
    assert any("has no time" in text for text in texts)


def test_each_kind_has_a_row_a_shape_and_a_colour():
    at = {"stream": 0, "device": 0}
    kinds = [
        launch(),
        call("cublasSgemm", m=2, n=3, k=4, **at),
        call("cudaMemcpyAsync", bytes=2048, way="host to device", known=True, **at),
        call("cudaMemsetAsync", bytes=4, value=0, **at),
        call("ncclAllReduce", bytes=8, communicator=1, size=2, **at),
        call("cudaGraphLaunch", kernels=3, copies=0, fills=0, **at),
        call("cudaLaunchHostFunc", **at),
        call("cudnnSomething", **at),
    ]
    root = ElementTree.fromstring(timeline(LaunchLog(kinds), GB, PROGRAM))
    drawn = [shape for shape in root.iter(f"{SVG}path") if len(shape) and "mark" in shape.get("class", "")]
    relative = [re.sub(r"[\d.]+ ", "", shape.get("d", "")) for shape in drawn]
    assert len(drawn) == len(kinds) == len({shape.get("class") for shape in drawn})
    rows = {re.findall(r"[\d.]+", shape.get("d", ""))[1] for shape in drawn}
    assert len(rows) == len(kinds) and len(set(relative)) > 4
    for shape in drawn:
        assert f".{shape.get('class', '').split()[1]}" in STYLE
    assert "call 2: cublasSgemm, m=2 n=3 k=4; by python" in {shape[0].text for shape in drawn}
    assert "call 3: copy, host to device, 2.0 KiB; by python" in {shape[0].text for shape in drawn}


def test_memory_has_its_peak_its_limit_and_what_was_refused():
    taken = {"device": 0, "ok": True}
    calls = [
        call("cudaMalloc", bytes=GB // 2, used=GB // 2, **taken),
        call("cudaMalloc", bytes=GB, used=GB // 2, device=0, ok=False),
        call("cudaFree", bytes=GB // 2, used=0, device=0),
        {"call": "peak", "pid": 1, "device": 0, "allocated": 1 << 20, "reserved": GB // 2},
    ]
    marks, texts = picture(*calls)
    assert "peak 512.0 MiB, in tensors 1.0 MiB; limit 1.0 GiB (the line)" in texts
    assert ("limit", "the limit") in marks
    assert ("over", "call 2: cudaMalloc, 1.0 GiB; by python: refused, out of memory") in marks
    assert [said.partition("; then ")[2] for css, said in marks if css == "mark kernel"] == [
        "512.0 MiB given away",
        "0 B given away",
    ]
    _, texts = picture(*calls, memory=80 * GB)
    assert "peak 512.0 MiB, in tensors 1.0 MiB; limit 80.0 GiB (far above)" in texts


def test_a_stream_waits_for_the_latest_record_of_an_event():
    side, main = {"stream": 3, "device": 0}, {"stream": 0, "device": 0}
    marks, _ = picture(
        call("cudaEventRecord", event=1, **side),
        launch(stream=3),
        call("cudaEventRecord", event=1, **side),
        call("cudaStreamWaitEvent", event=1, **main),
        call("cudaStreamWaitEvent", event=1, **side),
        call("cudaStreamWaitEvent", event=2, **main),
        call("cudaEventSynchronize", event=1, where=0),
        call("cudaDeviceSynchronize", device=0, where=0),
    )
    arrows = [said for css, said in marks if css == "arrow"]
    assert arrows == [
        "stream 0 of device 0 waits for what stream 3 of device 0 had been given before call 3"
    ], "of the latest record; a stream need not wait for itself, nor for what was never recorded"
    assert [said for css, said in marks if css == "wait"] == [
        "call 7: cudaEventSynchronize, event 1; by python; for stream 3 of device 0",
        "call 8: cudaDeviceSynchronize; by python",
    ]


def test_what_a_capture_keeps_is_hollow():
    own, other = {"stream": 5, "device": 0}, {"stream": 1, "device": 0}
    marks, texts = picture(
        call("cudaStreamBeginCapture", mode=0, **own),
        call("cudaEventRecord", event=1, **own),
        call("cudaStreamWaitEvent", event=1, **other),
        launch(stream=1),
        launch("other(int)", stream=5),
        call("cudaStreamEndCapture", nodes=2, ok=True, **own),
        launch(stream=1),
        call("cudaStreamWaitEvent", event=1, **other),
        launch(stream=1),
    )
    kernels = Counter(css for css, _ in marks if css.endswith(" kernel"))
    assert kernels == {"kept kernel": 2, "mark kernel": 2}
    assert any("captured, not run" in said for _, said in marks)
    assert "hollow: captured in a graph, not run" in texts


def test_processes_and_devices_have_lanes_of_their_own():
    _, texts = picture(launch(), launch(device=1), launch(pid=7))
    assert [text for text in texts if text.startswith(("process", "device"))] == [
        *("process 1 (pid 1)", "device 0", "device 1", "process 2 (pid 7)")
    ]


def test_the_call_that_ended_the_program():
    marks, texts = picture(launch(), call("cudnnCreate", refused=True))
    assert ("over", "call 2: cudnnCreate; by python; it is not answered, and the program ends") in marks
    assert "the program ends: not answered" in texts


def test_a_program_that_asks_nothing():
    marks, texts = picture(call("cublasCreate", device=0), call("cudaEventQuery", event=1, done=True))
    assert marks == [] and "The program asked nothing of a device." in texts


def test_a_long_log_has_a_picture_of_sensible_size():
    """Columns hold several calls; none is lost, and neither is the highest point between two of them."""
    calls = [launch(f"kernel_{number % 11}(int)") for number in range(30_000)]
    calls[15_001] = call("cudaMalloc", bytes=8, device=0, ok=True, used=GB)
    calls[15_002] = call("cudaFree", bytes=8, device=0, used=0)
    text = timeline(LaunchLog(calls), GB, PROGRAM)
    assert len(text) < 200_000
    root = ElementTree.fromstring(text)
    assert float(root.get("width", "0")) < 2000 and float(root.get("height", "0")) < 400
    marks, texts = picture(*calls)
    kernels = [said for css, said in marks if css == "mark kernel" and "kernel_" in said]
    assert len(kernels) <= COLUMNS
    named = sum(int(count) for said in kernels for count in re.findall(r"(\d+) × kernel_", said))
    assert 10_000 < named < 30_000 and all("7 other names" in said for said in kernels)
    assert any("Each column holds 75 calls" in said for said in texts)
    assert any(said.startswith("peak 1.0 GiB") for said in texts)


def test_the_table_says_of_each_call_what_its_mark_says():
    calls = [
        call("cudaMalloc", bytes=8, device=0, ok=True, used=GB),
        launch(),
        call("cudaEventRecord", stream=0, device=0, event=1),
        call("cudaStreamWaitEvent", stream=1, device=0, event=1),
        call("cudaMalloc", bytes=GB, device=0, ok=False, used=GB),
        call("cublasCreate", device=0),
    ]
    assert listing(LaunchLog(calls), PROGRAM).splitlines()[2:] == [
        "| 1 | `cudaMalloc`, 8 B; then 1.0 GiB given away |  | `python` |",
        "| 2 | `vectorized_elementwise_kernel<FillFunctor>`, grid 4×1×1, block 128×1×1 | 0 | `python` |",
        "| 3 | `cudaEventRecord`, event 1 | 0 | `python` |",
        "| 4 | `cudaStreamWaitEvent`, event 1, for what was submitted before call 3 | 1 | `python` |",
        "| 5 | `cudaMalloc`, 1.0 GiB; refused |  | `python` |",
    ]
    calls = [launch(device=1), launch(pid=2, device=0)]
    first, second = listing(LaunchLog(calls), PROGRAM).splitlines()[2:]
    assert "| 0 of device 1 | `python` of process 1 |" in first
    assert "| 0 of device 0 | `python` of process 2 |" in second


@pytest.mark.parametrize("count", [1, COLUMNS, COLUMNS + 1])
def test_every_call_is_in_the_picture(count):
    marks, _ = picture(*(launch(f"kernel_{number}(int)") for number in range(count)))
    last = [said for css, said in marks if css == "mark kernel"][-1]
    assert re.match(rf"calls? (?:\d+ to )?{count}: ", last)


@on_cuda
def test_the_picture_of_a_run(tmp_path):
    """It is that of the page; `inside-torch dry --timeline` draws it anew."""
    file = tmp_path / "it.svg"
    result = CliRunner().invoke(app, ["dry", "--timeline", str(file), str(PROGRAM)])
    assert result.exit_code == 0 and f"drawn in {file}" in result.output, result.output
    text = file.read_text("utf-8")
    assert text == (ROOT / "docs" / "en" / "contributing" / "two-streams.svg").read_text("utf-8")
    root = ElementTree.fromstring(text)
    said = [title.text or "" for title in root.iter(f"{SVG}title")]
    table = file.with_suffix(".md")
    result = CliRunner().invoke(app, ["dry", "--timeline", str(table), str(PROGRAM)])
    assert result.exit_code == 0 and f"listed in {table}" in result.output, result.output
    page = (ROOT / "docs" / "en" / "contributing" / "dry-gpu.md").read_text("utf-8")
    assert textwrap.indent(table.read_text("utf-8"), "    ") in page
    waits = [one for one in said if "stream 0 of device 0 waits for what stream 1 of device 0" in one]
    assert len(waits) == 3, "one for each batch"
    line = 1 + PROGRAM.read_text().splitlines().index("torch.cuda.synchronize()")
    assert any(f"cudaDeviceSynchronize, at two_streams.py:{line}; by python" in one for one in said)
    assert any("cublasSgemm" in one and one.endswith("by pt_autograd_0") for one in said)
