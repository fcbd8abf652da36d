"""The path recorder: one order for Python and C++, what is trimmed, what a difference looks like."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside_torch.book.recording import Frame, PathRecording, Program
from inside_torch.errors import BookError
from inside_torch.pins.release import RELEASE
from inside_torch.run.debugger import Debugger
from inside_torch.run.symbol_trim import trim
from inside_torch.run.trace import TraceFile, _tree, difference, find_function, record, trace

from ..tools import need_gdb

FIXTURES = Path(__file__).parent.parent / "fixtures"
FIXTURE, BROKEN = FIXTURES / "run", FIXTURES / "broken"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, debugger) -> PathRecording:
    need_gdb()
    root = Path(shutil.copytree(FIXTURE, tmp_path_factory.mktemp("run") / "book"))
    program = Program.find(root, "module-00-run/paths/reentry")
    found = trace(program, debugger)
    assert PathRecording.load(program.path) == found
    return found


def above(frames: list[Frame], index: int) -> list[str]:
    """The symbols from the root of the tree to a frame."""
    found = [frames[index]]
    for frame in reversed(frames[:index]):
        if frame.depth < found[-1].depth:
            found.append(frame)
    return [frame.symbol for frame in reversed(found)]


def lines_of(recorded: PathRecording, leaf: str) -> list[list[str]]:
    return [above(recorded.frames, i) for i, frame in enumerate(recorded.frames) if frame.symbol == leaf]


@pytest.mark.timeout(900)
def test_a_later_recording_is_as_the_first(recorded, debugger):
    """One gdb for programs of all kinds: what one leaves behind changes nothing for the next."""
    fine = Program.find(FIXTURE, "module-00-run/paths/reentry")

    def fails(fault: str, rule: str) -> None:
        with pytest.raises(BookError) as caught:
            record(Program.find(BROKEN / f"run-trace-{fault}", "module-00-run/fault/p"), debugger)
        assert caught.value.rule == rule

    of_the_first = debugger._process.pid
    fails("raises", "trace")
    fails("unknown-symbol", "trace-unknown-symbol")
    assert record(fine, debugger).frames == recorded.frames
    assert debugger._process.pid == of_the_first, "torch's symbols were read once"
    fails("timeout", "trace-timeout")
    assert record(fine, debugger).frames == recorded.frames


def test_a_gdb_that_may_not_attach_says_so(monkeypatch):
    need_gdb()
    answer = Debugger._answer
    nobody = {"process": 2**22}  # more than a process may be
    monkeypatch.setattr(Debugger, "_answer", lambda gdb, asked, until: answer(gdb, asked | nobody, until))
    with Debugger() as gdb, pytest.raises(BookError, match=r"could not attach .*ptrace_scope"):
        record(Program.find(FIXTURE, "module-00-run/paths/reentry"), gdb)


def test_a_gdb_that_is_gone_is_one_clear_error():
    need_gdb()
    with Debugger() as gdb:
        gdb._start()
        gdb._process.kill()
        gdb._process.wait()
        with pytest.raises(BookError, match="gdb failed"):
            record(Program.find(FIXTURE, "module-00-run/paths/reentry"), gdb)


@pytest.mark.timeout(900)
def test_python_lies_above_the_cpp_that_called_it(recorded):
    (line,) = lines_of(recorded, "Double.backward")
    wanted = ["Tensor.backward", "THPEngine_run_backward", "torch::autograd::Engine::execute"]
    wanted += ["torch::autograd::PyNode::apply", "Double.backward"]
    assert [symbol for symbol in line if symbol in wanted] == wanted
    (line,) = lines_of(recorded, "hook")
    assert line[0] == "Tensor.backward"
    assert any("hook" in symbol.lower() for symbol in line[:-1] if "::" in symbol)


def test_cpp_called_from_python_hangs_under_it(recorded):
    lines = lines_of(recorded, "at::_ops::mul_Tensor::call")
    python = {"Tensor.backward", "Double.backward", "hook"}
    innermost = [next((symbol for symbol in reversed(line) if symbol in python), "") for line in lines]
    # forward on this thread, backward on the other, then the product that path() ends with
    assert sorted(set(innermost)) == ["", "Double.backward", "hook"]
    assert innermost.index("hook") < innermost.index("Double.backward")


def test_frames_of_another_thread_say_so(recorded):
    by_thread = {frame.thread for frame in recorded.frames}
    assert by_thread == {0, 1}
    backward = next(frame for frame in recorded.frames if frame.symbol == "Tensor.backward")
    assert backward.thread == 1
    assert by_thread == {frame.thread for frame in recorded.frames if frame.depth == 0}


def test_pins_and_languages(recorded):
    by_symbol = {frame.symbol: frame for frame in recorded.frames}
    execute = by_symbol["torch::autograd::Engine::execute"]
    assert execute.pin == "src:torch/csrc/autograd/engine.cpp::Engine::execute"
    assert execute.language == "cpp"
    assert execute.full_symbol.startswith("torch::autograd::Engine::execute(std::vector<")
    assert by_symbol["Tensor.backward"].pin == "src:torch/_tensor.py::Tensor.backward"
    assert by_symbol["hook"].pin is None
    assert by_symbol["hook"].language == "python"


def test_depths_make_a_tree(recorded):
    frames = recorded.frames
    assert frames[0].depth == 0
    for before, after in pairwise(frames):
        assert 0 <= after.depth <= before.depth + 1
    assert recorded.program == "module-00-run/paths/reentry"
    assert recorded.release == RELEASE
    assert "gdb" in recorded.machine


def path_of(*symbols: str, build: str = "cpu", pins: dict[str, str] | None = None) -> PathRecording:
    frames = [
        Frame(depth=i, language="cpp", symbol=s, full_symbol=f"{s}()", pin=(pins or {}).get(s))
        for i, s in enumerate(symbols)
    ]
    return PathRecording(
        program="p", program_digest="0", release="2.13.0", build=build, machine="m", frames=frames
    )


def test_a_difference_shows_the_frame():
    assert difference(path_of("a", "b"), path_of("a", "b")) == ""
    diff = difference(path_of("a", "b", "c"), path_of("a", "c"))
    assert "-  cpp b" in diff
    assert "+  cpp c" in diff


def test_another_build_is_held_to_the_pinned_frames():
    pins = {"a": "src:a.cpp::a", "c": "src:a.cpp::c"}
    cpu = path_of("a", "b", "c", pins=pins)
    assert difference(cpu, path_of("a", "c", build="cu130", pins=pins)) == ""
    assert difference(cpu, path_of("a", "b", build="cu130", pins=pins))


def test_a_later_call_by_the_same_caller_is_drawn_again_where_that_is_asked_for():
    stacks = [
        {"thread": thread, "frames": [["cpp", name] for name in names]}
        for thread, names in [(0, "pa"), (0, "pb"), (1, "w"), (0, "pbx"), (0, "pa"), (1, "w")]
    ]

    def drawn(calls: list, depth: int = 0) -> list[str]:
        return [line for call in calls for line in (" " * depth + call.name, *drawn(call.calls, depth + 1))]

    assert drawn(_tree(stacks, repeats=False)) == ["p", " a", " b", "  x", "w"]
    assert drawn(_tree(stacks, repeats=True)) == ["p", " a", " b", "  x", " a", "w"]


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("THPEngine_run_backward(_object*, _object*, _object*)", "THPEngine_run_backward"),
        ("torch::autograd::Node::operator()(std::vector<at::Tensor>&&)", "torch::autograd::Node::operator()"),
        ("at::Tensor ns::make<at::Tensor>(at::Tensor const&, c10::ScalarType)", "ns::make"),
        ("a::(anonymous namespace)::wrap(Tensor const&) [clone .isra.0]", "a::(anonymous namespace)::wrap"),
        ("void ns::f<int>(int)::{lambda(at::Tensor&)#1}::operator()(at::Tensor&) const",
         "ns::f::{lambda#1}::operator()"),
        ("ns::f(int)::{lambda()#1}::operator()() const::{lambda(int)#2}::operator()(int) const",
         "ns::f::{lambda#1}::operator()::{lambda#2}::operator()"),
        ("c10::impl::wrap_<c10::Fn<at::Tensor (at::Tensor const&), &f>, at::Tensor>::call(c10::K*)",
         "c10::impl::wrap_::call"),
        ("std::unique_ptr<A, B> ns::make<A>(int)", "ns::make"),
        ("ns::A::operator bool() const", "ns::A::operator bool"),
        ("bool operator< <int>(A<int> const&, A<int> const&)", "operator<"),
        ("ns::A::~A()", "ns::A::~A"),
    ],
)  # fmt: skip
def test_symbols_are_trimmed(symbol, expected):
    assert trim(symbol) == expected
    assert trim(expected) == expected


@given(st.text(alphabet="ab:<>(){}[]&*, ~#1", max_size=40))
def test_any_symbol_can_be_trimmed(symbol):
    assert len(trim(symbol)) <= len(symbol)


def test_a_python_function_is_found_where_it_is(tmp_path):
    program = Program.find(FIXTURE, "module-00-run/paths/reentry")
    file, name = find_function("src:torch/_tensor.py::Tensor.backward", program)
    assert (file.parts[-2:], name) == (("torch", "_tensor.py"), "Tensor.backward")
    assert find_function("program::Double.backward", program)[0] == program.source.resolve()
    with pytest.raises(BookError) as caught:
        find_function("program::Double.backwards", program)
    assert caught.value.nearest.startswith("Double.backward")
    with pytest.raises(BookError, match="no Python file"):
        find_function("src:torch/csrc/autograd/engine.cpp::Engine", program)


def test_a_recording_of_another_text_of_the_program_is_stale(tmp_path, monkeypatch):
    root = Path(shutil.copytree(FIXTURE, tmp_path / "book"))
    program = Program.find(root, "module-00-run/paths/reentry")
    old = path_of("a", "b")
    old.dump(program.path)
    monkeypatch.setattr("inside_torch.run.trace.check_pins", lambda program: None)
    new = old.model_copy(update={"program_digest": "1"})
    monkeypatch.setattr("inside_torch.run.trace.record", lambda program, gdb: new)
    with pytest.raises(BookError) as caught:
        trace(program, Debugger(), check=True)
    assert caught.value.rule == "recording-stale"
    assert PathRecording.load(program.path) == old


def test_a_trace_file_without_breakpoints(tmp_path):
    file = tmp_path / "x.trace.yml"
    file.write_text("python: []\n")
    with pytest.raises(BookError, match="breakpoints"):
        TraceFile.load(file)
    file.write_text("breakpoints: [a\n")
    with pytest.raises(BookError, match="no YAML"):
        TraceFile.load(file)
