"""The verbs, as a contributor runs them; each fault under ``fixtures/broken/pins-*`` goes red for its own
reason.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inside_torch.cli import app
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from typer.testing import CliRunner

BROKEN = Path(__file__).parent.parent / "fixtures" / "broken"
FAULTS = sorted(BROKEN.glob("pins-*"))
PAGE = (
    "[x](src:torch/autograd/graph.py::Node) [y](<src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;>)\n"
)


@pytest.fixture
def book(tmp_path):
    """A book of one page."""
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "docs" / "en" / "page.md").write_text(PAGE)
    return tmp_path


def run(*arguments: object) -> tuple[int, str]:
    """Exit status and everything printed."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, BookError):
        return 1, result.output + str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.mark.parametrize("fault", FAULTS, ids=lambda folder: folder.name)
def test_fault(fault, tmp_path):
    expect = json.loads((fault / "expect.json").read_text())
    root = Path(shutil.copytree(fault, tmp_path / "book"))
    before = (root / "pins.lock").read_bytes()
    status, said = run(expect["verb"], "--root", root)
    assert status == 1
    assert f"[{expect['rule']}]" in said and expect["place"] in said.replace(f"{root}/", "")
    for part in expect["says"]:
        assert part in said
    assert (root / "pins.lock").read_bytes() == before


def test_there_is_a_fault_for_every_rule():
    rules = {json.loads((fault / "expect.json").read_text())["rule"] for fault in FAULTS}
    assert rules >= {
        "address-form",
        "lock-form",
        "lock-release",
        "pin-ambiguous",
        "pin-changed",
        "pin-file",
        "pin-moved",
        "pin-not-locked",
        "pin-symbol",
        "pin-text",
        "pin-unused",
    }


def test_a_book_with_its_faults_mended_passes(book):
    assert run("lock", "--root", book)[0] == 0
    assert run("verify", "--root", book) == (0, "2 pins (2 by text): all hold\n")


def test_a_folder_with_no_book_is_told_and_gets_no_lock(tmp_path):
    for verb in ("lock", "verify"):
        status, said = run(verb, "--root", tmp_path)
        assert status == 1 and "[no-book]" in said and "a folder with docs/" in said
    assert list(tmp_path.iterdir()) == []


def test_lock_adds_and_removes_and_is_then_as_it_was(book):
    status, said = run("lock", "--root", book)
    assert status == 0 and said.count("+ src:") == 2 and "line 38, text" in said
    first = (book / "pins.lock").read_bytes()
    assert "as it was" in run("lock", "--root", book)[1]
    assert (book / "pins.lock").read_bytes() == first
    (book / "docs" / "en" / "page.md").write_text("[x](src:torch/autograd/graph.py::Node)\n")
    assert "- src:torch/csrc/autograd/edge.h" in run("lock", "--root", book)[1]
    assert PinLock.load(book).addresses == ["src:torch/autograd/graph.py::Node"]
    assert [file.name for file in book.iterdir() if file.name.startswith(".")] == []


def test_lock_of_one_page_leaves_the_others_alone(book):
    run("lock", "--root", book)
    other = book / "docs" / "en" / "module-00-x" / "other.md"
    other.parent.mkdir(parents=True)
    other.write_text("[x](src:torch/autograd/graph.py::Nod) [y](src:torch/autograd/graph.py::GradientEdge)\n")
    trace = book / "snippets" / "module-00-x" / "other" / "one.trace.yml"
    trace.parent.mkdir(parents=True)
    trace.write_text("python: [src:torch/autograd/graph.py::saved_tensors_hooks]\n")
    (book / "docs" / "en" / "page.md").write_text(
        "[x](src:torch/autograd/graph.py::Node) [z](src:no/such.py::x)\n"
    )
    before = (book / "pins.lock").read_bytes()

    assert run("lock", other, "--root", book)[0] == 1, "the page itself has a bad address"
    assert (book / "pins.lock").read_bytes() == before
    other.write_text("[y](src:torch/autograd/graph.py::GradientEdge)\n")
    status, said = run("lock", other, "--root", book)
    assert status == 0 and said.count("+ src:") == 2, "its own address and the one of its trace"
    assert set(PinLock.load(book).addresses) == {
        "src:torch/autograd/graph.py::GradientEdge",
        "src:torch/autograd/graph.py::Node",
        "src:torch/autograd/graph.py::saved_tensors_hooks",
    }, "what another page still uses is kept, what no page uses is gone, what is new elsewhere stays unlocked"


def test_lock_of_no_page_names_the_nearest(book):
    status, said = run("lock", book / "docs" / "en" / "pag.md", "--root", book)
    assert status == 1 and "[page-unknown]" in said and "docs/en/page.md" in said


def test_show_a_text(book):
    status, said = run("show", "src:torch/csrc/autograd/edge.h::Edge", "--root", book)
    assert status == 0
    assert "lines 14-39" in said and "#L14-L39" in said and "38" in said and "uint32_t input_nr;" in said
    assert "no" in said.split("locked")[1].split("\n")[0]
    run("lock", "--root", book)
    assert (
        "yes"
        in run("show", "torch/autograd/graph.py::Node", "--root", book)[1].split("locked")[1].split("\n")[0]
    )


def test_show_lists_the_overloads_that_an_address_may_mean_one_a_line():
    status, said = run("show", "src:torch/csrc/autograd/edge.h::Edge::Edge")
    assert status == 1 and "[pin-ambiguous]" in said
    listed = [line.strip() for line in said.partition("nearest:")[2].splitlines()]
    assert len(listed) == 2 and all(line.startswith("torch::autograd::Edge::Edge(") for line in listed)


def test_show_a_generated_file_says_that_it_has_no_link():
    said = run("show", "src:torch/include/ATen/ops/add_ops.h::add_Tensor")[1]
    assert "generated at build time" in said and "https://" not in said


def test_show_lists_the_witnesses_of_a_file(libraries):
    said = run("show", "src:torch/csrc/autograd/engine.cpp")[1]
    assert "1556" in said and "ready_queue" in said and "cpu_ready_queue" in said


@pytest.mark.parametrize(
    "address",
    [
        "",
        "src:",
        "src:torch",
        "src:torch/",
        "src:%",
        "src:torch/autograd/graph.py::",
        "src:a.cpp::f(",
        "src:a.cpp::f)",
        "src:torch/csrc/autograd/edge.h::(",
        "src:torch/csrc/autograd/edge.h::Edge(",
        "src:torch/autograd::x",
        "src:torch/csrc/autograd/edge.h::operator",
        "src:torch/csrc/autograd/edge.h::<>",
        "src:torch/lib/libc10.so",
        "src:torch/csrc/autograd/engine.cpp::Engine::(int)",
        "src:torch/csrc/autograd/edge.h::::",
        "src:torch/_C",
        "src:aten/src/ATen/native/native_functions.yaml::add.Tensor(",
        "src:torch/bin/protoc",
        "src:torch/x.cpp::*?[",
        "src:torch/csrc/autograd/engine.cpp::\U0001f600",
        "src:torch/testing/_internal/py312_intrinsics.py::f",
    ],
)
def test_a_wrong_address_is_one_error_and_no_traceback(address):
    status, said = run("show", address)
    assert status == 1
    assert said.count("expected:") == 1


def test_the_program_never_imports_torch(book):
    run("lock", "--root", book)
    code = (
        "import sys; from inside_torch.cli import app\n"
        f"try: app(['verify', '--root', {str(book)!r}])\n"
        "except SystemExit as end: assert not end.code\n"
        "assert not {'torch', 'numpy', 'capstone'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("verb", ["lock", "verify", "show", "calls", "tree"])
def test_help_teaches(verb):
    status, said = run(verb, "--help")
    assert status == 0
    assert verb == "tree" or "inside-torch " + verb in said


def test_calls_lists_what_a_function_calls_in_the_order_of_its_code(libraries):
    status, said = run("calls", "torch/csrc/autograd/engine.cpp::Engine::thread_main")
    assert status == 0, said
    order = ["526", "ReadyQueue::pop", "evaluate_function", "mark_as_completed", "ReadyQueue::push"]
    places = [said.index(each) for each in order]
    assert places == sorted(places)
