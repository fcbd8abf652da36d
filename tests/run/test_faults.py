"""Each fault under ``fixtures/broken/run-*`` goes red by the rule that it breaks, at its line, saying why.

``expected.yml`` says what is run (``kind``), the ``rule``, a text that the message holds, and the line.
"""

from __future__ import annotations

import ast
import shutil
from functools import cache
from pathlib import Path

import inside_torch.run
import pytest
import yaml
from inside_torch.book.recording import Program, Results
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run import exercises, measure, probes, programs
from inside_torch.run.debugger import Debugger
from inside_torch.run.fork_server import ForkServer
from inside_torch.run.trace import TraceFile, _under_gdb, check_pins, find_function, trace

from ..tools import need_gdb

BROKEN = Path(__file__).parent.parent / "fixtures" / "broken"
FAULTS = sorted(BROKEN.glob("run-*/expected.yml"))

#: Rules that no page can break: what they need is missing from the machine.
OF_THE_MACHINE = {"torch", "gdb"}
#: Rules that take two moments: test_probes.py and test_trace.py break them.
OF_THE_MOMENT = {"page-edited", "recording-stale"}
#: Rules of what is typed and not of a page: test_verbs.py and test_capability.py break them.
OF_THE_COMMAND = {"probe-unknown", "cpu-capability"}
#: Rules of the glossary, which no page holds: test_examples.py breaks them.
OF_THE_GLOSSARY = {"term-example"}


def run_probes(book: Book) -> None:
    # Only the one that hangs is to meet the limit, however busy the machine is.
    runner = probes.Runner(timeout=5) if book.root.name == "run-probe-timeout" else probes.Runner()
    failures = []
    for page in book.pages.values():
        found = probes.probes_of(page)
        for probe in found:
            try:
                probes.check(probe, runner.run(probe, "cpu", found))
            except BookError as error:
                failures.append(error)
    if failures:
        raise failures[-1]


def run_programs(book: Book, server: ForkServer) -> None:
    for told in programs.programs(book):
        programs.check(told, programs.execute(told, "cpu", server.run))


@cache
def attempts(server: ForkServer) -> dict[Path, dict[str, exercises.Tried]]:
    """The broken exercises, all from one child process."""
    broken = sorted(BROKEN.glob("run-exercise-*/snippets/module-00-run/fault/e"))
    return exercises.attempt(broken, server.run)


def judge_exercise(book: Book, server: ForkServer) -> None:
    (folder,) = exercises.exercises(book)
    name = folder.relative_to(book.root)
    original = next(place for place in attempts(server) if place.match(f"{book.root.name}/{name}"))
    exercises.judge(folder, attempts(server)[original])


def run_measure(book: Book) -> None:
    measure.measure(Program.find(book.root, "module-00-run/fault/m"))


def check_results(book: Book) -> None:
    program = Program.find(book.root, "module-00-run/fault/m")
    measure.fresh(program, Results.load(program.results))


def run_trace(book: Book, debugger: Debugger) -> None:
    need_gdb()
    program = Program.find(book.root, "module-00-run/fault/p")
    trace(program, debugger, check=program.path.is_file())


@cache
def one_real_run(debugger: Debugger) -> dict:
    """What gdb collects for the trace file that the faulty ones were made from."""
    program = Program.find(BROKEN / "run-path-changed", "module-00-run/fault/p")
    wanted = TraceFile.load(program.trace)
    functions = [find_function(name, program) for name in wanted.python]
    return _under_gdb(program, wanted, functions, debugger)


def run_trace_on_a_known_run(book: Book, debugger: Debugger) -> None:
    """The trace file lists more than the run went through: no need to run again to know it."""
    need_gdb()
    stacks = one_real_run(debugger)

    def known(program, wanted, functions, gdb):
        return stacks | {"hits": dict.fromkeys(wanted.breakpoints, 0) | stacks["hits"]}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("inside_torch.run.trace._under_gdb", known)
        run_trace(book, debugger)


KINDS = {
    "probe": run_probes,
    "measure": run_measure,
    "results": check_results,
    "pins": lambda book: check_pins(Program.find(book.root, "module-00-run/fault/p")),
}
#: What runs in a process of its own, forked from one that has torch.
FORKED = {"program": run_programs, "exercise": judge_exercise}
#: What is traced, all by one gdb, which must survive one fault for the next.
TRACED = {"path": run_trace, "path-unused": run_trace_on_a_known_run}


@pytest.mark.timeout(900)  # the first exercise waits for all of them
@pytest.mark.parametrize("file", FAULTS, ids=lambda file: file.parent.name.removeprefix("run-"))
def test_a_fault_goes_red(file, tmp_path, debugger, fork_server):
    expected = yaml.safe_load(file.read_text(encoding="utf-8"))
    book = Book.load(Path(shutil.copytree(file.parent, tmp_path / file.parent.name)))
    assert book.pages
    assert not any(page.errors for page in book.pages.values())
    before = {path: path.read_bytes() for path in book.root.rglob("*") if path.is_file()}
    with pytest.raises(BookError) as caught:
        if expected["kind"] in TRACED:
            TRACED[expected["kind"]](book, debugger)
        elif expected["kind"] in FORKED:
            FORKED[expected["kind"]](book, fork_server)
        else:
            KINDS[expected["kind"]](book)
    error = caught.value
    assert error.rule == expected["rule"], str(error)
    assert expected["says"] in str(error)
    if "line" in expected:
        assert error.line == expected["line"], str(error)
    assert error.file is not None
    after = {path: path.read_bytes() for path in book.root.rglob("*") if path.is_file()}
    assert after == before, "a failing run wrote something"


def test_every_rule_of_the_room_has_a_fault():
    rules = set()
    for file in Path(inside_torch.run.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "BookError", "ProbeFailed", "ProgramFailed",
            ):  # fmt: skip
                rules |= {rule.value for rule in node.args[:1] if isinstance(rule, ast.Constant)}
    proven = {yaml.safe_load(file.read_text(encoding="utf-8"))["rule"] for file in FAULTS}
    assert rules - proven == OF_THE_MACHINE | OF_THE_MOMENT | OF_THE_COMMAND | OF_THE_GLOSSARY
    assert len(rules) > 15
