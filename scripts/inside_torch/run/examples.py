"""The examples of the glossary: run in one process, held against what the glossary shows.

``python -m inside_torch.run.examples <root>`` prints, as JSON, the text of each example with what it printed.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

from inside_torch.book.glossary import FILE, line_of, load
from inside_torch.errors import BookError
from inside_torch.run.probes import settled, with_outputs
from inside_torch.run.process import PATIENT, Finished, environment, run
from inside_torch.run.state import clean

TIMEOUT = 240  # seconds, for all of them


def run_all(root: Path, run: Callable[..., Finished] = run) -> dict[str, str]:
    """By term, the text that its example should have, or what it raised. ``run`` runs a command."""
    command = [sys.executable, "-m", "inside_torch.run.examples", str(root)]
    finished = run(command, cwd=root, timeout=TIMEOUT, env=environment(**PATIENT))
    if finished.status != 0:
        raise BookError("term-example", f"status {finished.status}: {finished.errors[-800:]}", "0", file=FILE)
    return json.loads(finished.output.splitlines()[-1])


def check(root: Path, key: str, text: str) -> None:
    """Raises :class:`BookError` with a diff where the example of a term is not the text that a run gave."""
    shown = load(root).terms[key].example
    if text != shown:
        diff = difflib.unified_diff(shown.splitlines(), text.splitlines(), "shown", "this run", lineterm="")
        line = line_of((root / FILE).read_text(encoding="utf-8"), key)
        raise BookError("term-example", "\n".join(diff), "what is printed", file=FILE, line=line)


def executed(source: str) -> str:
    """The source of an example with ``#>`` lines for what it prints; the exception that it ends with, too."""
    import torch

    names: dict[str, object] = {"torch": torch}
    outputs: dict[int, str] = {}
    with clean():
        for statement in ast.parse(source).body:
            printed = io.StringIO()
            code = compile(ast.Module([statement], []), "<example>", "exec")
            try:
                with contextlib.redirect_stdout(printed):
                    exec(code, names)
            except Exception as error:
                print(f"{type(error).__name__}: {error}", file=printed)
            outputs[statement.lineno] = outputs.get(statement.lineno, "") + printed.getvalue()
    return settled(source, with_outputs(source, outputs))


def main() -> None:
    """In a process that has imported torch, or is about to: every example of a book."""
    terms = load(Path(sys.argv[1])).terms
    texts = {key: executed(term.example) for key, term in terms.items() if term.example}
    print(json.dumps(texts))


if __name__ == "__main__":
    main()
