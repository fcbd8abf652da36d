"""Witnesses: what the libraries remember, and what that proves."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from inside_torch.errors import BookError
from inside_torch.pins import line_table
from inside_torch.pins.address import Address
from inside_torch.pins.by_witness import prove
from inside_torch.pins.line_table import Row
from inside_torch.pins.names import bare, shorten
from inside_torch.pins.resolve import Evidence, resolve
from inside_torch.pins.verify import check
from inside_torch.pins.witness import Witness

ENGINE = "torch/csrc/autograd/engine.cpp"


def test_an_assertion_of_ready_queue(libraries):
    """The function's code and the assertion's string, found apart, name one line and one condition."""
    by_line = {witness.line: witness for witness in libraries.witnesses(ENGINE)}
    witness = by_line[1556]
    assert (witness.function, witness.text) == ("ready_queue", "cpu_ready_queue")
    assert bare(witness.within) == "torch::autograd::Engine::ready_queue"


def test_every_string_of_an_assert_is_a_witness(libraries):
    """Found another way: the strings are read here by a plain search over one whole, small library."""
    raw = (libraries.folder / "libc10.so").read_bytes()
    form = re.compile(rb'INTERNAL ASSERT FAILED at "(?:/__w/pytorch)?/pytorch/([\w./]+\.cpp)":(\d+),')
    found = {(match[1].decode(), int(match[2])) for match in form.finditer(raw)}
    assert len(found) > 30
    libraries.search({path for path, _ in found})
    for path, line in found:
        assert line in {witness.line for witness in libraries.witnesses(path)}, (path, line)


def test_witnesses_of_headers_name_functions_of_those_headers(libraries, sources):
    """Held against text: the function that the compiler names is one that the header has, at those lines."""
    path = "c10/core/TensorImpl.h"
    symbols = sources.symbols(sources.read(path))
    held = [
        witness
        for witness in libraries.witnesses(path)
        if witness.function and witness.function != "operator()"
    ]
    assert len(held) > 20
    for witness in held:
        around = [s for s in symbols if s.first <= witness.line <= s.last and s.kind == "function"]
        assert witness.function in {symbol.name.split("::")[-1] for symbol in around}, witness


def test_registration_blocks(searched):
    path = "aten/src/ATen/core/VariableFallbackKernel.cpp"
    pin = resolve(f"src:{path}::TORCH_LIBRARY_IMPL(_, AutogradCPU, m)", searched)
    assert pin.evidence == "witness" and pin.first == pin.last == 66
    other = resolve(f"src:{path}::TORCH_LIBRARY_IMPL(_, AutogradPrivateUse1, m)", searched)
    assert other.first == 111
    with pytest.raises(BookError) as caught:
        resolve(f"src:{path}::TORCH_LIBRARY_IMPL(_, AutogradCPUU, m)", searched)
    assert "TORCH_LIBRARY_IMPL(_, AutogradCPU, m)" in caught.value.nearest


def test_exact_rows_are_borne_out(searched):
    """Each exact row whose lines are pinned holds witnesses of its own function, or lies between two."""
    searched.witnesses.search(line_table.rows())
    counts = {"inside": 0, "between": 0, "file": 0}
    for path, rows in line_table.rows().items():
        if not searched.witnesses.witnesses(path):
            continue  # of the CUDA build
        for row in rows:
            try:
                pin = resolve(Address(path, row.symbol), searched)
            except BookError as error:
                assert error.rule == "pin-unproven", error
                continue
            check(pin, searched.remembering(pin))
            check(pin, searched)
            if pin.first is None:
                counts["file"] += 1
                assert pin.evidence == "file"
            elif pin.around and not any(witness.function for witness in pin.witnesses):
                counts["between"] += 1
                assert pin.around[0].line < pin.first <= pin.last < pin.around[1].line
            else:
                counts["inside"] += 1
                assert all(pin.first <= witness.line <= pin.last for witness in pin.witnesses)
    assert counts["inside"] > 60 and counts["between"] > 20 and counts["file"] > 5


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        ("Engine::execute", 1294, 1404),
        ("torch::autograd::Engine::execute", 1294, 1404),
        ("Engine::ready_queue#cpu_ready_queue", 1556, 1556),
        ("Engine::execute#accumulate_grad || !outputs.empty()", 1321, 1321),
        ("validate_outputs_impl", 926, 998),
    ],
)
def test_engine(searched, symbol, first, last):
    pin = resolve(f"src:{ENGINE}::{symbol}", searched)
    assert (pin.first, pin.last, pin.evidence) == (first, last, "witness")
    check(pin, searched.remembering(pin))


def test_a_symbol_whose_lines_nothing_proves_is_pinned_to_its_file(searched):
    pin = resolve(f"src:{ENGINE}::Engine::start_device_threads", searched)
    assert (pin.first, pin.last, pin.evidence) == (None, None, "file")
    assert "#" not in pin.permalink
    check(pin, searched.remembering(pin))


@pytest.mark.parametrize(
    ("name", "defined"),
    [
        ("ProfiledCPUMemoryReporter::New", True),  # after the digits of c10
        ("Engine::start_device_threads", True),
        ("AccumulateGrad::AccumulateGrad", True),
        ("c10::GetCPUCachingAllocator", True),
        ("mul_kernel", True),
        ("Engine::start_device_thread", False),
        ("ngine::start_device_threads", False),
        ("Other::start_device_threads", False),
        ("AccumulateGra::AccumulateGra", False),
        ("TORCH_META_FUNC2(add, Tensor)", False),
    ],
)
def test_which_functions_a_library_has(libraries, name, defined):
    assert libraries.defines(name) == defined


@pytest.mark.parametrize(
    ("address", "rule", "nearest"),
    [
        (f"{ENGINE}::Engine::redy_queue", "pin-symbol", "Engine::ready_queue"),
        (f"{ENGINE}#cpu_ready_queue is missing", "pin-text", "cpu_ready_queue"),
        (f"{ENGINE}::Engine::ready_queue#cpu_redy_queue", "pin-text", ""),
        ("torch/csrc/autograd/engin.cpp", "pin-file", ENGINE),
        ("torch/csrc/autograd/node.cpp", "pin-file", "torch/csrc/autograd/node.h"),
        ("aten/src/ATen/core/library.cpp::Library::_def", "pin-ambiguous", "Library::_def(FunctionSchema&&"),
    ],
)
def test_errors(searched, address, rule, nearest):
    with pytest.raises(BookError) as caught:
        resolve(f"src:{address}", searched)
    assert caught.value.rule == rule
    assert nearest.split()[0] in caught.value.nearest if nearest else True


def test_a_file_of_the_cuda_build_says_so(searched):
    if searched.witnesses.cuda:
        pin = resolve("src:c10/cuda/CUDACachingAllocator.cpp", searched)
        assert pin.evidence == "file"
        return
    with pytest.raises(BookError, match="CPU build") as caught:
        resolve("src:c10/cuda/CUDACachingAllocator.cpp::DeviceCachingAllocator::malloc", searched)
    assert caught.value.rule == "witness-cuda"


def test_a_platform_without_such_libraries_says_so(tmp_path):
    from inside_torch.pins.witness import Libraries

    with pytest.raises(BookError) as caught:
        Libraries(tmp_path).witnesses(ENGINE)
    assert caught.value.rule == "witness-platform"
    (tmp_path / "libc10.so").write_bytes(b"\xcf\xfa\xed\xfe" + bytes(100))
    with pytest.raises(BookError) as caught:
        Libraries(tmp_path).witnesses(ENGINE)
    assert caught.value.rule == "witness-platform"


def W(line: int, function: str, text: str = "x", within: str = "") -> Witness:
    return Witness(line, function, text, within or f"ns::{function}(int)")


@pytest.fixture
def table(monkeypatch):
    """A line table of one file."""
    rows = (
        Row("a.cpp", "C::exact", 10, 20, "exact", ""),
        Row("a.cpp", "loose", 30, 40, "bounded", ""),
        Row("a.cpp", "over(int)", 50, 60, "exact", ""),
        Row("a.cpp", "over(long)", 61, 70, "exact", ""),
        Row("a.cpp", "begun", 80, None, "exact", ""),
    )
    monkeypatch.setattr("inside_torch.pins.by_witness.rows", lambda: {"a.cpp": rows})


@pytest.mark.parametrize(
    ("symbol", "witnesses", "lines"),
    [
        ("C::exact", [W(15, "exact")], (10, 20)),
        ("ns::C::exact", [W(15, "exact")], (10, 20)),
        ("C::exact", [W(9, "other"), W(21, "another")], (10, 20)),  # bracketed
        ("C::exact", [W(9, "other")], (None, None)),  # on one side only
        ("C::exact", [], (None, None)),
        ("C::exact", [W(15, "")], (None, None)),  # a string names no function
        (
            "C::exact",
            [W(15, "operator()", within="ns::C::exact(int)::{lambda#1}::operator()(int)")],
            (10, 20),
        ),
        ("loose", [W(33, "loose"), W(38, "loose")], (33, 38)),
        ("loose", [W(29, "other"), W(41, "other")], (None, None)),  # bracketed, but its ends are not known
        ("over(long)", [W(65, "over")], (61, 70)),
        ("begun", [W(82, "begun"), W(85, "begun")], (80, 85)),
        ("begun", [W(79, "other"), W(81, "other")], (80, 80)),
        ("free", [W(100, "free"), W(103, "free")], (100, 103)),
        ("ns::free", [W(100, "free", within="ns::free(int)")], (100, 100)),
        ("free#first", [W(100, "free", "first"), W(103, "free", "the first one")], (100, 100)),
        ("free#second", [W(100, "free", "first"), W(103, "free", "the second one")], (103, 103)),
    ],
)
def test_what_witnesses_prove(table, symbol, witnesses, lines):
    found = prove(Address.parse(f"src:a.cpp::{symbol}"), witnesses)
    assert (found.first, found.last) == lines


@pytest.mark.parametrize(
    ("symbol", "witnesses", "rule"),
    [
        ("C::exact", [W(12, "exact"), W(18, "stranger")], "pin-contradicted"),
        ("loose", [W(33, "loose"), W(35, "stranger")], "pin-contradicted"),
        ("over", [W(55, "over")], "pin-ambiguous"),
        ("free", [W(100, "free"), W(102, "stranger"), W(104, "free")], "pin-ambiguous"),
        ("free", [W(1, "free", within="a::free(int)"), W(2, "free", within="b::free(int)")], "pin-ambiguous"),
        (
            "free",
            [W(1, "free", within="a::free(int)"), W(2, "free", within="a::free(long)")],
            "pin-ambiguous",
        ),
        ("MACRO(a, b)", [W(1, "MACRO(a, b)"), W(9, "MACRO(a, b)")], "pin-ambiguous"),
        ("Other::free", [W(1, "free", within="a::C::free(int)")], "pin-symbol"),
        ("fre", [W(1, "free")], "pin-symbol"),
        ("free#z", [W(1, "free")], "pin-text"),
        ("free#x", [W(1, "free"), W(2, "free")], "pin-text"),
    ],
)
def test_what_they_do_not(table, symbol, witnesses, rule):
    with pytest.raises(BookError) as caught:
        prove(Address.parse(f"src:a.cpp::{symbol}"), witnesses)
    assert caught.value.rule == rule
    assert caught.value.nearest or rule == "pin-contradicted"


@pytest.mark.parametrize(
    ("symbol", "short"),
    [
        (
            "void a::f<int, std::vector<int> >(std::vector<int> const&, long)",
            "a::f(std::vector const&, long)",
        ),
        ("a::C::operator()(int) const", "a::C::operator()(int)"),
        ("a::C::operator<<(int)", "a::C::operator<<(int)"),
        ("f(int) [.cold]", "f(int)"),
        ("a::(anonymous namespace)::f()", "a::f()"),
    ],
)
def test_shorten(symbol, short):
    assert shorten(symbol) == short


def test_the_heap_never_holds_the_library(libraries):
    """434 MB of library, under 200 MB of process: it is read in pieces."""
    code = (
        "from inside_torch.pins.wheel import Wheel\n"
        "from inside_torch.pins.witness import Libraries\n"
        f"assert Libraries(Wheel.find().libraries).witnesses({ENGINE!r})\n"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200 * 1024


def test_sources_without_libraries_prove_nothing(wheel):
    with pytest.raises(BookError):
        resolve(f"src:{ENGINE}::Engine::execute#x", Evidence(wheel))
