"""Recorded paths as lists and as sequence diagrams, and the commands that stop in their frames."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from inside_torch.book.recording import Frame, PathRecording
from inside_torch.render.paths import command

from ..tools import need_gdb
from .small_book import fence


def test_each_frame_has_its_depth_language_pin_and_command(draw):
    drawn = draw(
        fence("path", "demo/add", "id: way", "view: list", "", "`Engine::execute`: Here **it** begins.")
    )
    frames = drawn.find("ol", class_="it-frames")("li")
    assert [frame["style"] for frame in frames] == [f"--depth:{depth}" for depth in range(5)]
    assert [frame.find(class_="it-badge").text for frame in frames] == ["Python"] * 2 + ["C++"] * 3
    assert frames[2].a["href"].endswith("engine.cpp#L1294-L1404") and frames[2].a["class"] == [
        "it-symbol",
        "pin",
    ]
    assert frames[2].find(class_="it-note").strong.text == "it"
    assert frames[3].a is None and frames[3].find(class_="it-thread").text == "thread 1"
    stops = [frame.details.code.text if frame.details else None for frame in frames]
    assert stops[1].startswith("b torch/autograd/graph.py:")
    assert stops[2:] == [
        "break torch::autograd::Engine::execute",
        "break 'torch::autograd::Node::operator()'",
        None,
    ]
    assert frames[4].code.text == "at::{lambda#1}::_FUN" and frames[4].find(class_="it-scope").text == "at::"
    assert drawn.figure["id"] == "way"
    assert "Recorded with torch 2.13.0 (cpu) on a test" in drawn.figcaption.text
    assert "are drawn as one, where the first was seen" in drawn.figcaption.text
    assert "inside-torch trace demo/add" in drawn.figcaption.text
    assert "python -m pdb snippets/demo/add.py" in drawn.text


def test_a_path_of_the_dry_gpu_says_so(book, draw):
    file = book / "snippets" / "demo" / "add.path.json"
    before = file.read_bytes()
    PathRecording.load(file).model_copy(update={"device": "dry"}).dump(file)
    try:
        for view in ("list", "sequence"):
            told = draw(fence("path", "demo/add", f"view: {view}")).find(class_="it-caption").text
            assert told.startswith("Recorded on a GPU that computes nothing: host side real,")
    finally:
        file.write_bytes(before)


def test_a_path_with_repeated_calls_says_so(book, draw):
    file = book / "snippets" / "demo" / "add.path.json"
    before = file.read_bytes()
    PathRecording.load(file).model_copy(update={"repeats": True}).dump(file)
    try:
        told = draw(fence("path", "demo/add")).figcaption.text
    finally:
        file.write_bytes(before)
    assert "that follow one another are drawn as one" in told and "first was seen" not in told


def test_a_sequence_is_drawn_from_the_frames(draw):
    drawn = draw(fence("path", "demo/add", "view: sequence", "", "`Engine::execute`: Here."))
    source = drawn.find("div", class_="mermaid").text
    assert "participant p0 as Python" in source and "participant p1 as Engine" in source
    calls = [line.strip() for line in source.splitlines() if "->>" in line]
    assert calls == [
        "p0->>p0: Tensor.<br/>backward",
        "p0->>p0: _engine_run_<br/>backward",
        "p0->>p1: execute",
        "p1->>p2: operator()",
        "p2->>p3: _FUN",
    ]
    assert "link p1: execute @ https://" in source and "engine.cpp#35;L1294-L1404" in source
    assert "accTitle: Call path of add.py" in source and "accDescr: The 5 calls" in source
    assert drawn.find("ul", class_="it-remarks").text.strip().startswith("Engine::execute")
    assert "Recorded with torch" in drawn.text


def frame(symbol: str) -> Frame:
    return Frame(depth=0, language="cpp", symbol=symbol, full_symbol=symbol)


def test_gdb_takes_the_commands():
    """Each form of symbol that a recording holds is a place where gdb can stop."""
    need_gdb()
    import importlib.util

    library = Path(importlib.util.find_spec("torch").origin).parent / "lib" / "libtorch_cpu.so"
    symbols = [
        "torch::autograd::Engine::execute",
        "torch::autograd::Node::operator()",
        "torch::autograd::VariableType::(anonymous namespace)::mul_Tensor",
    ]
    commands = [part for symbol in symbols for part in ("-ex", command(frame(symbol), None))]
    settings = ["-ex", "set debuginfod enabled off", "-ex", "set breakpoint pending off"]
    gdb = ["gdb", "-nx", "-batch", *settings, str(library), *commands]
    said = subprocess.run(gdb, capture_output=True, text=True, timeout=600)
    assert said.stdout.count("Breakpoint ") == len(symbols), said.stdout + said.stderr


def test_pdb_stops_where_it_is_told(draw, tmp_path):
    """The line that the page names is inside the function, so that pdb stops on the call."""
    drawn = draw(fence("path", "demo/add"))
    stop = drawn.find("ol", class_="it-frames")("li")[1].details.code.text
    program = tmp_path / "run.py"
    program.write_text("import torch\ntorch.ones(1, requires_grad=True).sum().backward()\n")
    typed = [part for each in (stop, "c", "w", "q") for part in ("-c", each)]
    pdb = [sys.executable, "-m", "pdb", *typed, str(program)]
    said = subprocess.run(pdb, capture_output=True, text=True, timeout=600, stdin=subprocess.DEVNULL)
    assert "Breakpoint 1 at" in said.stdout and "_engine_run_backward()" in said.stdout, (
        said.stdout + said.stderr
    )
