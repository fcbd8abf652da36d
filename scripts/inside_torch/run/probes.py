"""Probes: short Python blocks of a page, executed, their printed output compared with their ``#>`` lines.

pytest-examples finds and executes them. What they print is taken from ``sys.stdout`` and put below the
statement of the probe that caused it, as ``print`` wrote it: nothing but the fence's own rules may change it.
"""

from __future__ import annotations

import ast
import difflib
import faulthandler
import io
import os
import signal
import sys
import threading
import tokenize
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.abc import Loader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import TextIO

from pytest_examples import CodeExample, find_examples
from pytest_examples.config import ExamplesConfig
from pytest_examples.run_code import run_code

from inside_torch.book.fence_kinds import ProbeFence
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.errors import BookError
from inside_torch.run.devices import default
from inside_torch.run.normalise import normalise
from inside_torch.run.process import caches
from inside_torch.run.state import clean
from inside_torch.run.values import equal

TIMEOUT = 300  # seconds, for one probe: only what hangs takes as long, however busy the machine is
GRACE = 60  # seconds until a probe that cannot be interrupted ends its process


@dataclass(frozen=True)
class Probe:
    """One probe of a page. ``path`` is below the root, ``line`` that of the fence's opening."""

    root: Path
    path: Path
    slug: str  # of the page; one of another language begins with the language's code
    block: ProbeFence
    example: CodeExample

    @property
    def line(self) -> int:
        return self.block.line

    @property
    def id(self) -> str:
        """Its test id, ``module/article:L12``."""
        return f"{self.slug}:L{self.line}"

    @property
    def source(self) -> str:
        return self.block.fence.body


class ProbeFailed(BookError):
    """A probe that did not do what its page says."""


def probes_of(page: Page) -> list[Probe]:
    """The probes of a page, in page order. Raises :class:`BookError` where its grammar is broken."""
    if page.errors:
        raise page.errors[0]
    blocks = page.of(ProbeFence)
    examples = {example.start_line: example for example in find_examples(page.file)} if blocks else {}
    slug = page.slug if page.language == ENGLISH else f"{page.language.code}/{page.slug}"
    found = []
    for block in blocks:
        example = examples.get(block.line)
        if example is None or example.source != block.fence.body:
            raise BookError(
                "probe-not-collected",
                "a Python block that pytest-examples does not see so",
                "```python on a line of its own, three backticks",
                file=page.path,
                line=block.line,
            )
        found.append(Probe(page.root, page.path, slug, block, example))
    return found


class _Printed(io.TextIOBase):
    """Stands in for ``sys.stdout``: keeps what is written by the line of the probe that caused it."""

    def __init__(self, file: str, first: int, last: int) -> None:
        self.file, self.first, self.last = file, first, last
        self.by_line: dict[int, str] = {}

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        line = self._line(sys._getframe(1))
        if line is None:  # a thread that the probe does not stand below: where the probe is now
            main = threading.main_thread().ident
            assert main is not None  # it has started
            line = self._line(sys._current_frames()[main])
        self.by_line[line or self.last] = self.by_line.get(line or self.last, "") + text
        return len(text)

    def _line(self, frame: FrameType | None) -> int | None:
        while frame is not None:
            if frame.f_code.co_filename == self.file and self.first <= frame.f_lineno <= self.last:
                return frame.f_lineno
            frame = frame.f_back
        return None


class _Loader(Loader):
    """Gives pytest-examples the module of the group, and keeps what the probe raised.

    pytest-examples would rebuild the traceback from frames of its own making, which ends the interpreter on
    Python 3.11.7, so no exception may reach it.
    """

    def __init__(self, code: CodeType, module: ModuleType) -> None:
        self.code, self.module = code, module
        self.raised: BaseException | None = None

    def create_module(self, spec: object) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        try:
            exec(self.code, module.__dict__)
        except BaseException as error:
            self.raised = error


class _TimeUp(BaseException):
    """No ``except Exception`` of a probe may swallow it."""


@contextmanager
def time_limit(seconds: int, last_words: TextIO) -> Iterator[None]:
    """Raise in the main thread after ``seconds``; end the process where even that does not come through,
    its stacks written to ``last_words``.
    """

    def up(*_: object) -> None:
        raise _TimeUp

    before = signal.signal(signal.SIGALRM, up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=last_words)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Runner:
    """Executes the probes of a page; keeps the globals of each group on each device.

    ``timeout`` is in seconds, for one probe; the stacks of one that cannot be ended go to ``last_words``.
    """

    timeout: int = TIMEOUT
    last_words: TextIO = sys.__stderr__ or sys.stderr
    groups: dict[tuple[Path, str, str], ModuleType] = field(default_factory=dict)
    done: dict[tuple[Path, int, str], str | BookError] = field(default_factory=dict)

    def __post_init__(self) -> None:
        os.environ.update(caches())

    def run(self, probe: Probe, device: str, page: list[Probe]) -> str:
        """What the probe's text should be, executed on ``device`` after those above it in its group.

        What it shows is left as it is where that is by value what is printed.

        Raises :class:`ProbeFailed` where the probe fails, or one before it in the group did.
        """
        for other in page:
            if (
                other.block.group == probe.block.group
                and other.line <= probe.line
                and device in other.block.devices
            ):
                key = (other.path, other.line, device)
                if key not in self.done:
                    try:
                        self.done[key] = self._execute(other, device)
                    except BookError as error:
                        self.done[key] = error
                result = self.done[key]
                if isinstance(result, BookError):
                    if other is probe:
                        raise result
                    raise ProbeFailed(
                        "probe",
                        f"the group `{probe.block.group}` failed above, at line {other.line}",
                        file=probe.path,
                        line=probe.line,
                    )
        text = self.done[(probe.path, probe.line, device)]
        assert isinstance(text, str)  # an error is raised above
        return text

    def _execute(self, probe: Probe, device: str) -> str:
        file = str(probe.root / probe.path)
        source = probe.source
        fence = probe.block.fence
        try:
            # As many empty lines above it as make its line numbers those of the page.
            code = compile("\n" * (fence.body_line - 1) + source, file, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise ProbeFailed(
                "probe", f"SyntaxError: {error.msg}", file=probe.path, line=error.lineno or probe.line
            ) from None
        module = self.groups.setdefault((probe.path, probe.block.group, device), ModuleType("__main__"))
        loader = _Loader(code, module)
        printed = _Printed(file, fence.body_line, fence.last_line - 1)
        try:
            with (
                clean(default(device, probe.block.devices)),
                redirect_stdout(printed),
                time_limit(self.timeout, self.last_words),
            ):
                run_code(
                    example=probe.example,
                    python_file=Path(file),
                    loader=loader,
                    config=ExamplesConfig(),
                    enable_print_mock=False,
                    print_callback=None,
                    include_print=None,
                    module_globals=None,
                    call=None,
                )
        except BookError as error:  # what leaked may be held by the probe's globals
            loader.raised = None
            module.__dict__.clear()
            raise error.at(probe.path, probe.line) from None
        outputs = {line: normalise(text, probe.block.rules) for line, text in printed.by_line.items()}
        _judge(probe, loader.raised, outputs, self.timeout)
        return settled(source, with_outputs(source, outputs, fence.body_line))


def _judge(probe: Probe, raised: BaseException | None, outputs: dict[int, str], timeout: int) -> None:
    """Hold what a probe raised against what its fence says, and add the message of an awaited exception."""
    file = str(probe.root / probe.path)
    where = [
        entry.lineno
        for entry in traceback.extract_tb(raised.__traceback__ if raised else None)
        if entry.filename == file
    ]
    first, last = probe.block.fence.body_line, probe.block.fence.last_line
    line = next((number for number in where if number is not None and first <= number < last), probe.line)
    if isinstance(raised, _TimeUp):
        raise ProbeFailed("probe-timeout", f"no end after {timeout} s", file=probe.path, line=line)
    if isinstance(raised, KeyboardInterrupt):
        raise raised
    if raised is None:
        if probe.block.raises:
            raise ProbeFailed(
                "probe-raises",
                "the block ends without an exception",
                probe.block.raises,
                file=probe.path,
                line=probe.line,
            )
        return
    name = type(raised).__name__
    if name != probe.block.raises:
        text = "".join(traceback.format_exception_only(raised)).strip()
        entries = traceback.extract_tb(raised.__traceback__)
        inside = next((at for at, entry in enumerate(entries) if entry.filename == file), len(entries))
        trace = "".join(traceback.format_list(entries[inside:][-6:]))
        raise ProbeFailed(
            "probe-raises",
            f"{text}\n{trace}".rstrip(),
            probe.block.raises or "no exception",
            file=probe.path,
            line=line,
        )
    body = ast.parse(probe.source).body
    if line - first + 1 < body[-1].lineno:
        raise ProbeFailed(
            "probe-raises",
            f"{name} is raised before the last statement",
            "at the end",
            file=probe.path,
            line=line,
        )
    last_line = (body[-1].end_lineno or body[-1].lineno) + first - 1
    outputs[last_line] = outputs.get(last_line, "") + normalise(str(raised), probe.block.rules) + "\n"


def with_outputs(source: str, outputs: dict[int, str], first: int = 1) -> str:
    """The source with ``#>`` lines for what its lines printed, and with none of those that it had.

    ``outputs`` maps a line, counted from ``first``, to what it printed; it goes below that line's statement.
    """
    below: dict[int, list[str]] = {}
    for line in sorted(outputs):
        end, column = _statement(source, line - first + 1)
        text = outputs[line]
        for part in text.removesuffix("\n").split("\n") if text else []:
            below.setdefault(end, []).append(" " * column + f"#> {part}".rstrip())
    old = _output_lines(source)
    lines = []
    for number, text in enumerate(source.splitlines(), start=1):
        if number not in old:
            lines.append(text)
        lines += below.get(number, [])
    return "\n".join(lines) + "\n"


def _output_lines(source: str) -> set[int]:
    """The lines of a probe that show what is printed."""
    return {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
        and token.string.startswith("#>")
        and not token.line[: token.start[1]].strip()
    }


def settled(source: str, text: str) -> str:
    """A run's text of a probe, each output in it as ``source`` has it where that is the same by value.

    Both hold the same code; what stands below one line of it is one output.
    """
    lines = []
    for (code, recorded), (_, printed) in zip(_outputs(source), _outputs(text), strict=True):
        same = bool(recorded) == bool(printed) and equal(_shown(recorded), _shown(printed))
        lines += [*code, *(recorded if same else printed)]
    return "\n".join(lines) + "\n"


def _outputs(source: str) -> list[tuple[list[str], list[str]]]:
    """Each line of code with the lines below it that show what is printed; those above all code first."""
    outputs = _output_lines(source)
    found: list[tuple[list[str], list[str]]] = [([], [])]
    for number, line in enumerate(source.splitlines(), start=1):
        if number in outputs:
            found[-1][1].append(line)
        else:
            found.append(([line], []))
    return found


def _shown(lines: list[str]) -> str:
    """What some output lines show."""
    return "\n".join(line.lstrip().removeprefix("#>").removeprefix(" ") for line in lines)


def _statement(source: str, line: int) -> tuple[int, int]:
    """Last line and column of the innermost statement at a line; a whole one-line compound statement."""
    best: ast.stmt | None = None
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.stmt):
            continue
        start = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        if start <= line <= (node.end_lineno or start) and (best is None or node.lineno > best.lineno):
            best = node
    return (best.end_lineno or best.lineno, best.col_offset) if best else (line, 0)


def difference(probe: Probe, text: str) -> str:
    """The page against a run, as a diff with the line numbers of the page; empty if they are equal."""
    if text == probe.source:
        return ""
    diff = difflib.unified_diff(
        probe.source.splitlines(), text.splitlines(), "in the page", "this run", lineterm="", n=1
    )
    lines = []
    for line in diff:
        if line.startswith("@@"):
            start = int(line.split()[1].lstrip("-").split(",")[0])
            line = f"@@ {probe.path}:{probe.block.fence.body_line + start - 1} @@"
        lines.append("    " + line)
    return "\n".join(lines)


def check(probe: Probe, text: str) -> None:
    """Raise :class:`ProbeFailed` with a diff where the page's ``#>`` lines are not what a run gave."""
    if diff := difference(probe, text):
        raise ProbeFailed(
            "probe-output",
            f"the page does not show what is printed\n{diff}",
            "inside-torch record",
            file=probe.path,
            line=probe.line,
        )


def rewrite(text: str, changes: dict[int, tuple[Probe, str]]) -> str:
    """A page's text with the bodies of some probes, by the line of their fence, replaced."""
    lines = text.split("\n")
    for line in sorted(changes, reverse=True):
        probe, body = changes[line]
        fence = probe.block.fence
        inner = [(fence.indent + part).rstrip() for part in body.split("\n")[:-1]]
        lines[fence.body_line - 1 : fence.last_line - 1] = inner
    return "\n".join(lines)
