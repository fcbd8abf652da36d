"""The path recorder: which functions, in Python and in C++, one call of a program's ``path()`` goes through.

The program runs once under gdb, which may trace others before and after it. gdb stops at the symbols that the
trace file names and collects their stacks; ``sys.setprofile`` reports the named Python functions at the same
time, each event with a stop of its own, so that both halves stand in one order and a Python function is known
to lie above the C++ frames that called it.
The recording is the union of all stacks as a tree, in the order in which its calls were first seen; with
``repeats`` a call is only one with that before it, so that the tree has every call in its order.
"""

from __future__ import annotations

import ast
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inside_torch import yaml_file
from inside_torch.book.recording import Frame, PathRecording, Program
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import Address
from inside_torch.run.debugger import Debugger
from inside_torch.run.devices import variables
from inside_torch.run.frame_pins import agrees
from inside_torch.run.machine import machine, site_packages, torch_build
from inside_torch.run.process import environment
from inside_torch.run.symbol_trim import trim

#: How a trace file names a Python function of the program itself.
OWN = "program::"


class TraceFile(BaseModel):
    """``<program>.trace.yml``: where to listen."""

    model_config = ConfigDict(extra="forbid", strict=True)

    breakpoints: list[str] = Field(min_length=1)
    python: list[str] = []
    pins: dict[str, str] = {}
    differs: dict[str, str] = {}  # symbol: why its pin is that of something else
    repeats: bool = False  # a later call of a function by the same caller is drawn again
    device: Literal["cpu", "dry"] = "cpu"
    threads: int = Field(1, ge=1, le=64)  # of torch's thread pool
    timeout: int = Field(300, ge=1, le=1800)  # seconds

    @classmethod
    def load(cls, file: Path) -> TraceFile:
        if not file.is_file():
            raise BookError("trace-file", "no trace file", "the symbols to listen to", file=file)
        with yaml_file.reading("trace-file", file):
            data = yaml_file.value(file.read_text(encoding="utf-8"))
        try:
            found = cls.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BookError(
                "trace-file",
                f"{where}: {first['msg']}",
                "breakpoints, python, pins, differs, repeats, device, threads, timeout",
                file=file,
            ) from None
        for names in (found.breakpoints, found.python):
            if double := next((name for name in names if names.count(name) > 1), None):
                raise BookError("trace-file", f"`{double}` twice", "once", file=file)
        found._pins_are_those_of_their_symbols(file)
        return found

    def _pins_are_those_of_their_symbols(self, file: Path) -> None:
        """Raise :class:`BookError` (rule ``path-symbol``) for a pin that means another function than that of
        its frame, unless the file says why, and for a reason that none needs.
        """
        wrong = {symbol for symbol, address in self.pins.items() if not agrees(symbol, address)}
        for symbol in sorted(wrong - self.differs.keys()):
            raise BookError(
                "path-symbol",
                f"the pin of {symbol} is {self.pins[symbol]}",
                "the address of that function, of its class or YAML entry; else a reason under `differs`",
                file=file,
                line=_line(file, symbol),
            )
        for symbol, reason in self.differs.items():
            if symbol not in wrong or len(reason.split()) < 3:
                raise BookError(
                    "path-symbol",
                    f"the reason `{reason}` for {symbol}",
                    "three words or more, and a pin that is not that of its symbol",
                    file=file,
                    line=_line(file, "differs"),
                )


@dataclass
class _Call:
    """A node of the tree of calls."""

    language: Literal["python", "cpp"]
    name: str  # full symbol, or index of a Python function
    thread: int
    calls: list[_Call] = field(default_factory=list)


def _tree(stacks: list[dict[str, Any]], repeats: bool) -> list[_Call]:
    """The calls of all stacks; with ``repeats`` one that comes again after another one is another call."""
    roots: list[_Call] = []
    for stack in stacks:
        calls, thread = roots, stack["thread"]
        for language, name in stack["frames"]:
            here = [call for call in calls if call.thread == thread]
            known = here[-1:] if repeats else here
            call = next((call for call in known if (call.language, call.name) == (language, str(name))), None)
            if call is None:
                call = _Call(language, str(name), thread)
                calls.append(call)
            calls = call.calls
    return roots


def find_function(name: str, program: Program) -> tuple[Path, str]:
    """File and qualified name of a Python function that a trace file names; it must be there."""
    if name.startswith(OWN):
        file, symbol = program.source, name.removeprefix(OWN)
    else:
        address = Address.parse(name)
        file, symbol = site_packages() / address.path, address.symbol or ""
    if file.suffix != ".py" or not file.is_file():
        raise BookError(
            "trace-python", f"no Python file for `{name}`", "a file of the wheel or program::name"
        )
    # An address names a function inside another as `outer.inner`, Python as `outer.<locals>.inner`.
    known = {
        name.replace(".<locals>", ""): name
        for name in _functions(ast.parse(file.read_text(encoding="utf-8")))
    }
    if symbol not in known:
        raise BookError(
            "trace-python", f"no function `{symbol}` in {file.name}", "a function", nearest(symbol, known)
        )
    return file.resolve(), known[symbol]


def _functions(tree: ast.AST, prefix: str = "") -> set[str]:
    """Qualified names of all functions below a node, as ``__qualname__`` spells them."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(prefix + node.name)
            found |= _functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            found |= _functions(node, f"{prefix}{node.name}.")
        else:
            found |= _functions(node, prefix)
    return found


def record(program: Program, gdb: Debugger) -> PathRecording:
    """Run ``path()`` of a program under gdb and return what it went through.

    Raises :class:`BookError` where gdb is missing, the program fails, a symbol is unknown (the nearest ones
    are named), or something that the trace file lists was never reached.
    """
    file = program.trace
    wanted = TraceFile.load(file)
    try:
        functions = [find_function(name, program) for name in wanted.python]
        for address in wanted.pins.values():
            Address.parse(address)
    except BookError as error:
        raise error.at(file, _line(file, error.found)) from None
    stacks = _under_gdb(program, wanted, functions, gdb)
    roots = _tree(stacks["stacks"], wanted.repeats)
    frames: list[Frame] = []

    def add(call: _Call, depth: int) -> None:
        if call.language == "python":
            index = int(call.name)
            symbol = full = functions[index][1]
            pin = None if wanted.python[index].startswith(OWN) else wanted.python[index]
        else:
            full, symbol = call.name, trim(call.name)
            pin = wanted.pins.get(symbol)
        frames.append(
            Frame(
                depth=depth,
                language=call.language,
                symbol=symbol,
                full_symbol=full,
                pin=pin,
                thread=call.thread,
            )
        )
        for inner in call.calls:
            add(inner, depth + 1)

    # A device's thread runs beside the one that waits for it: which is seen first is chance.
    in_order = sorted(roots, key=lambda root: root.thread) if wanted.device == "dry" else roots
    for root in in_order:
        add(root, 0)
    _all_used(file, wanted, functions, stacks["hits"], frames)
    release, build = torch_build()
    return PathRecording(
        program=program.name,
        program_digest=program.digest,
        release=release,
        build=build,
        device=wanted.device,
        repeats=wanted.repeats,
        machine=f"{machine()}, gdb {stacks['gdb']}",
        frames=frames,
    )


def _all_used(
    file: Path,
    wanted: TraceFile,
    functions: list[tuple[Path, str]],
    hits: dict[str, int],
    frames: list[Frame],
) -> None:
    """Nothing may stand in a trace file that the run did not go through."""
    for symbol, count in hits.items():
        if not count:
            raise BookError(
                "trace-not-reached",
                f"path() never reached the breakpoint `{symbol}`",
                "a symbol that it reaches",
                file=file,
                line=_line(file, symbol),
            )
    python = {frame.symbol for frame in frames if frame.language == "python"}
    for name, (_, symbol) in zip(wanted.python, functions, strict=True):
        if symbol not in python:
            raise BookError(
                "trace-not-reached",
                f"path() never called `{name}`",
                "a function that it calls",
                file=file,
                line=_line(file, name),
            )
    native = {frame.symbol for frame in frames if frame.language == "cpp"}
    for symbol in wanted.pins:
        if symbol not in native:
            raise BookError(
                "trace-pin-unused",
                f"no recorded frame is `{symbol}`",
                "a symbol of the path, without arguments",
                nearest(symbol, native),
                file=file,
                line=_line(file, symbol),
            )


def _line(file: Path, text: str) -> int | None:
    """The line of a trace file that holds one of the names quoted in ``text``, or ``text`` itself."""
    quoted = text.split("`")[1::2] or [text]
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((i for i, line in enumerate(lines, 1) if any(name in line for name in quoted)), None)


def _under_gdb(program: Program, wanted: TraceFile, functions: list[tuple[Path, str]], gdb: Debugger) -> Any:
    with tempfile.TemporaryDirectory(prefix="inside-torch-trace-") as name:
        # One instruction set, so that the same kernels run on every machine.
        threads = {"OMP_NUM_THREADS": str(wanted.threads), "MKL_NUM_THREADS": str(wanted.threads)}
        env = environment(ATEN_CPU_CAPABILITY="default", **threads, **variables(wanted.device))
        source, folder = program.source.resolve(), Path(name)
        asked = [[str(file), name] for file, name in functions]
        (folder / "functions.json").write_text(json.dumps(asked))
        request = {
            "folder": name,
            "breakpoints": wanted.breakpoints,
            "libraries": [str(source.parent), env["TORCH_EXTENSIONS_DIR"]],
        }
        try:
            stacks, errors = gdb.ask(source, request, folder=folder, env=env, timeout=wanted.timeout)
        except TimeoutError:
            raise BookError(
                "trace-timeout", f"path() under gdb did not end in {wanted.timeout} s", file=program.source
            ) from None
    if stacks is None:
        raise BookError("gdb", f"gdb failed:\n{_tail(errors)}", file=program.source)
    if stacks["missing"]:
        symbol, candidates = next(iter(stacks["missing"].items()))
        raise BookError(
            "trace-unknown-symbol",
            f"gdb knows no `{symbol}`",
            "a symbol of the loaded libraries with all its namespaces: was it renamed?",
            nearest(symbol, dict.fromkeys(trim(candidate) for candidate in candidates)),
            file=program.trace,
            line=_line(program.trace, symbol),
        )
    if stacks["error"]:
        raise BookError("trace", f"{stacks['error']}\n{_tail(errors)}".rstrip(), file=program.source)
    return stacks


def _tail(text: str) -> str:
    """The last lines of a process's error output."""
    return "\n".join("    " + line for line in text.strip().splitlines()[-15:])


def difference(recorded: PathRecording, again: PathRecording) -> str:
    """What a second run went through otherwise, as a diff; empty where nothing.

    Two builds of one release may be inlined differently: there, only the frames with a pin are compared.
    """
    import difflib

    def lines(path: PathRecording) -> list[str]:
        pinned_only = recorded.build != again.build
        return [
            f"{'' if pinned_only else '  ' * frame.depth}{frame.language} {frame.symbol}"
            + (f" [thread {frame.thread}]" if frame.thread else "")
            + (f" -> {frame.pin}" if frame.pin else "")
            for frame in path.frames
            if frame.pin or not pinned_only
        ]

    return "\n".join(
        difflib.unified_diff(lines(recorded), lines(again), "recorded", "this run", lineterm="", n=2)
    )


def check_pins(program: Program) -> None:
    """Hold a recording's pins against the trace file, with no run: rule ``path-pins``.

    A C++ frame has the pin that the map gives its symbol, a Python frame is one of those listened to.
    """
    recorded, wanted = PathRecording.load(program.path), TraceFile.load(program.trace)
    for frame in recorded.frames:
        if frame.language == "cpp":
            right = frame.pin == wanted.pins.get(frame.symbol)
        else:
            symbol = frame.symbol.replace(".<locals>", "")
            name = frame.pin or OWN + symbol
            right = name in wanted.python and name.endswith(f"::{symbol}")
        if not right:
            raise BookError(
                "path-pins",
                f"the frame {frame.symbol} has the pin {frame.pin}",
                f"what {program.trace.name} says: {wanted.pins.get(frame.symbol)}",
                file=program.path,
            )


def trace(program: Program, gdb: Debugger, *, check: bool = False) -> PathRecording:
    """Record a program's path and write it beside the program, or with ``check`` compare with what is there.

    Raises :class:`BookError` (rule ``path-changed``) with a diff where a check finds another path.
    """
    before = None
    if check:
        before = PathRecording.load(program.path)
        check_pins(program)
    found = record(program, gdb)
    if before is None:
        found.dump(program.path)
        return found
    if diff := difference(before, found):
        raise BookError(
            "path-changed",
            f"another path than the recorded one\n{diff}",
            "inside-torch trace",
            file=program.path,
        )
    if before.program_digest != found.program_digest:
        raise BookError(
            "recording-stale",
            "recorded from another text of the program",
            f"inside-torch trace {program.name}",
            file=program.path,
        )
    return found
