"""The verbs record, trace and measure, over a book of their own."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from inside_torch.cli import app, run
from inside_torch.errors import BookError
from typer.testing import CliRunner

PAGE = """---
title: A page
question: What is run?
requires: []
minutes: 1
hardware: cpu
---

# A page

```python
print(1)
```

```output
module-00-x/a/x
```
"""


@pytest.fixture
def verb(tmp_path, monkeypatch, fork_server):
    page = tmp_path / "docs/en/module-00-x/a.md"
    program = tmp_path / "snippets/module-00-x/a/x.py"
    for file, text in (
        (page, PAGE),
        (program, "print('one')\n\n\ndef measure():\n    return {'ratio': 2}\n"),
    ):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr("inside_torch.run.fork_server.ForkServer", lambda: nullcontext(fork_server))

    def call(*arguments: str):
        return CliRunner().invoke(app, list(arguments))

    call.page, call.program = page, program
    return call


def test_record_writes_a_page_and_its_programs(verb, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    written = set()
    for subject in ("module-00-x/a", "docs/en/module-00-x/a.md", ""):
        verb.page.write_text(PAGE)
        verb.program.with_suffix(".out").unlink(missing_ok=True)
        result = verb("record", *filter(None, [subject]))
        assert result.exit_code == 0, result.output
        assert result.output.endswith("1 probe, 1 program: 2 written\n")
        assert "print(1)\n#> 1\n" in verb.page.read_text()
        assert verb.program.with_suffix(".out").read_text() == "one\n"
        written.add(verb.page.read_text())
    assert len(written) == 1, "it is the same whatever the page was called"
    again = verb("record", "--check")
    assert again.exit_code == 0 and again.output.endswith("1 probe, 1 program: 2 unchanged\n")


def test_the_probes_of_a_page_without_its_programs(verb):
    result = verb("record", "--probes", "module-00-x/a")
    assert result.exit_code == 0 and result.output.endswith("1 probe, 0 programs: 1 written\n")
    assert "print(1)\n#> 1\n" in verb.page.read_text()
    assert not verb.program.with_suffix(".out").exists()
    assert verb("record", "--probes").output.endswith("1 probe, 0 programs: 1 unchanged\n")


GROUP = """
```python {id="first" group="g"}
x = 2
```

```python {id="second" group="g"}
print(x)
```

```python {id="alone"}
1 / 0
```
"""


def test_one_probe_is_run_with_its_group(verb):
    verb.page.write_text(PAGE + GROUP)
    result = verb("record", "module-00-x/a#second")
    assert result.exit_code == 0 and result.output.endswith("2 probes, 0 programs: 1 written, 1 unchanged\n")
    text = verb.page.read_text()
    assert "print(x)\n#> 2\n" in text and "print(1)\n```" in text, "no other probe was run"
    assert verb("record", "module-00-x/a#alone").exit_code == 1


@pytest.mark.parametrize(
    ("written", "nearest"), [("secnd", "second"), ("zzz", "first, second, alone"), ("", "")]
)
def test_an_unknown_probe_names_the_nearest(verb, written, nearest):
    verb.page.write_text(PAGE + GROUP)
    result = verb("record", f"module-00-x/a#{written}")
    assert isinstance(result.exception, BookError) and result.exception.rule == "probe-unknown"
    assert nearest in result.exception.nearest


NOISE = """
```python {id="noise"}
import os, sys

print("from Python", file=sys.stderr)
os.write(2, b"from C++")
```
"""


def test_what_a_passing_probe_writes_to_stderr_is_not_shown(verb, capfd):
    verb.page.write_text(PAGE + NOISE)
    result = verb("record", "--probes", "module-00-x/a")
    assert result.exit_code == 0
    assert "from " not in result.output + "".join(capfd.readouterr())


def test_what_a_failing_probe_writes_to_stderr_is_shown(verb):
    verb.page.write_text(PAGE + NOISE.replace("```\n", "1 / 0\n```\n"))
    result = verb("record", "--probes", "module-00-x/a")
    assert result.exit_code == 1
    assert all(f"from {one}" in result.output for one in ("Python", "C++"))
    assert result.output.endswith("2 probes, 0 programs: 1 failed, 1 written\n")


def test_check_fails_and_writes_nothing(verb):
    result = verb("record", "--check")
    assert result.exit_code == 1
    assert "2 failed" in result.output
    assert verb.page.read_text() == PAGE
    assert not verb.program.with_suffix(".out").exists()


def test_a_program_that_no_page_shows_yet_can_be_recorded(verb):
    verb.page.write_text(PAGE.partition("```output")[0])
    result = verb("record", "module-00-x/a/x")
    assert result.exit_code == 0
    assert "no `output` fence names it yet" in result.output
    assert verb.program.with_suffix(".out").read_text() == "one\n"


def test_measure_writes_the_results(verb):
    assert verb("measure", "module-00-x/a/x").exit_code == 0
    assert '"ratio": 2' in verb.program.with_suffix(".results.json").read_text()
    assert verb("measure", "--check", "module-00-x/a/x").exit_code == 0
    verb.program.write_text("def measure():\n    return {'ratio': 3}\n")
    result = verb("measure", "--check", "module-00-x/a/x")
    assert isinstance(result.exception, BookError) and result.exception.rule == "results-stale"


@pytest.mark.parametrize("name", ["record", "trace", "measure"])
def test_an_unknown_subject_names_the_nearest(verb, name):
    result = verb(name, "module-00-x/a/y")
    assert isinstance(result.exception, BookError)
    assert "module-00-x/a/x.py" in result.exception.nearest


def test_a_trace_of_everything_is_asked_for(verb):
    assert verb("trace").exception.found == "no program"
    assert verb("trace", "module-00-x/a/x", "--all").exception.found == "programs and --all"


def test_the_trace_of_a_program_without_a_trace_file(verb):
    result = verb("trace", "module-00-x/a/x")
    assert result.exit_code == 1
    assert "[trace-file] no trace file" in result.output
    assert result.output.endswith("1 error in 1 program\n")
