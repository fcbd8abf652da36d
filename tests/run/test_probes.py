"""Probes: what becomes of their output, their groups, their page."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial

import pytest
from inside_torch.book.page import Page
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run.probes import Runner, check, probes_of, rewrite, with_outputs
from inside_torch.run.record import record_page

FRONT = """---
title: A page
question: What is run?
requires: []
minutes: 1
hardware: cpu
---

# A page

"""


@pytest.fixture
def page(tmp_path):
    """Makes a page of a text."""

    def make(text: str, language: str = "en") -> Page:
        file = tmp_path / "docs" / language / "module-00-x" / "a.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FRONT + text, encoding="utf-8")
        book = Book.load(tmp_path)
        return book.pages[file.relative_to(tmp_path)]

    return make


@pytest.fixture
def record(fork_server):
    """Records a page, its probes in a process forked from one that has torch."""
    return partial(record_page, run=fork_server.run)


def bodies(page: Page, device: str = "cpu") -> list[str]:
    runner, found = Runner(), probes_of(page)
    return [runner.run(probe, device, found) for probe in found]


def test_what_is_printed_goes_below_its_statement(page):
    text = """```python
print(1,
      2, sep="-")
for i in range(2): print(i)
for i in range(2):
    print("in", i, end="!")
print([1, 2], {2, 1}, end="")
print()
print()
print("two\\nlines")
```
"""
    (body,) = bodies(page(text))
    assert body == (
        """print(1,
      2, sep="-")
#> 1-2
for i in range(2): print(i)
#> 0
#> 1
for i in range(2):
    print("in", i, end="!")
    #> in 0!in 1!
print([1, 2], {2, 1}, end="")
#> [1, 2] {1, 2}
print()
#>
print()
#>
print("two\\nlines")
#> two
#> lines
"""
    )


def test_nothing_is_normalised_that_the_fence_does_not_name(page):
    (body,) = bodies(page("```python\nprint(object())\n```\n"))
    assert re.search(r"#> <object object at 0x[0-9a-f]{8,}>", body)
    (body,) = bodies(page('```python {normalise="addresses"}\nprint(object())\n```\n'))
    assert "#> <object object at 0x…>" in body


def test_what_a_hook_of_another_probe_prints_stands_where_it_was_caused(page):
    text = """```python {group="g"}
import torch

def hook(grad):
    print("hook")

x = torch.ones(1, requires_grad=True)
x.register_hook(hook)
```

```python {group="g"}
x.backward()
print("done")
```
"""
    assert bodies(page(text))[1] == 'x.backward()\n#> hook\nprint("done")\n#> done\n'


def test_what_a_thread_prints_is_kept(page):
    text = """```python
import threading

thread = threading.Thread(target=print, args=("from a thread",))
thread.start()
thread.join()
```
"""
    assert "#> from a thread" in bodies(page(text))[0]


def test_a_group_shares_its_globals_and_others_do_not(page):
    text = """```python {group="g"}
value = 1
def read(): return value
```

```python
print("value" in globals(), __name__)
```

```python {group="g"}
value = 2
print(read())
```
"""
    _, second, third = bodies(page(text))
    assert "#> False __main__" in second
    assert third == "value = 2\nprint(read())\n#> 2\n"


def test_the_main_module_is_put_back(page):
    before = sys.modules["__main__"]
    bodies(page("```python\nx = 1\n```\n"))
    assert sys.modules["__main__"] is before


def test_an_awaited_exception_is_the_last_line(page):
    text = '```python {raises="KeyError"}\nprint(1)\n{}["x"]\n```\n'
    assert bodies(page(text)) == ["print(1)\n#> 1\n{}[\"x\"]\n#> 'x'\n"]


def test_a_traceback_and_the_source_of_a_function_are_those_of_the_page(page):
    text = """```python
import inspect

def f():
    return 1

print(inspect.getsource(f), end="")
1 / 0
```
"""
    found = page(text)
    probes = probes_of(found)
    with pytest.raises(BookError) as caught:
        Runner().run(probes[0], "cpu", probes)
    assert caught.value.line == found.file.read_text().split("\n").index("1 / 0") + 1
    assert "ZeroDivisionError" in str(caught.value)
    assert "pytest_examples" not in str(caught.value)


def test_a_raising_probe_does_not_end_the_interpreter(page):
    """pytest-examples rebuilds tracebacks in a way that ends Python 3.11.7; nothing may reach it."""
    found = page("```python\nimport torch\n\ntorch.ones(2) @ torch.ones(3)\n```\n")
    script = (
        "import sys; from pathlib import Path; from inside_torch.book.whole_book import Book\n"
        "from inside_torch.run.probes import *\n"
        "page = next(iter(Book.load(Path(sys.argv[1])).pages.values())); probes = probes_of(page)\n"
        "try: Runner().run(probes[0], 'cpu', probes)\n"
        "except BookError as error: print(error.rule)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(found.root)], capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout) == (0, "probe-raises\n")


def test_an_output_that_is_the_same_by_value_is_left_as_it_is(page, record):
    text = """```python {id="a"}
import torch

x = torch.tensor([1.0, 2.0])
print(x.nextafter(torch.tensor(3.0)))
#> tensor([1., 2.])
for value in (x / 3).tolist():
    print(value, 12)
    #> 0.333333 12
    #> 0.666667 12
print()
#>
print(0.4813)
#> VALUE
```
"""
    found = page(text.replace("VALUE", "0.4813"))
    before = found.file.read_bytes()
    for check_only in (True, False):
        (outcome,) = record(found, check=check_only)
        assert not outcome.error and not outcome.changed
        assert found.file.read_bytes() == before
    found = page(text.replace("VALUE", "0.4812"))
    (outcome,) = record(found, check=True)
    assert outcome.error.rule == "probe-output" and "tensor" not in str(outcome.error)
    (outcome,) = record(found)
    assert outcome.changed and found.file.read_bytes() == before, "and only what differs is written"


def test_nothing_printed_is_no_empty_line(page, record):
    for text in ("```python\nprint()\n```\n", "```python\nx = 1\n#>\n```\n"):
        (outcome,) = record(page(text), check=True)
        assert outcome.error.rule == "probe-output"


def test_recording_writes_the_page_and_a_second_run_changes_nothing(page, record):
    text = """Prose.

```python {id="a"}
print(1)
#> 7
#> 8
```

1. A list

    ```python
    for i in range(2):
        print(i)

    print("end")
    ```

Prose `#> stays`.
"""
    found = page(text)
    assert [outcome.changed for outcome in record(found)] == [True, True]
    written = found.file.read_text(encoding="utf-8")
    assert written == FRONT + text.replace("#> 7\n#> 8\n", "#> 1\n").replace(
        "        print(i)\n", "        print(i)\n        #> 0\n        #> 1\n"
    ).replace('    print("end")\n', '    print("end")\n    #> end\n')
    again = Page.load(found.root, found.file, found.language)
    assert [(outcome.changed, outcome.error) for outcome in record(again)] == [(False, None)] * 2
    assert found.file.read_text(encoding="utf-8") == written


def test_what_a_page_registers_is_gone_for_the_next(page, record):
    found = page(
        "```python\nimport torch\n\n\n@torch.library.custom_op('pagetest::twice', mutates_args=())\n"
        "def twice(x: torch.Tensor) -> torch.Tensor:\n    return x * 2\n\n\n"
        "print(torch.ops.pagetest.twice(torch.ones(1)))\n```\n"
    )
    assert [outcome.error for outcome in record(found)] == [None]
    other = page(
        "```python\nimport torch\n\nlibrary = torch.library.Library('pagetest', 'DEF')\n"
        "library.define('twice(Tensor x) -> Tensor')\nprint('defined')\n```\n"
    )
    assert [outcome.error for outcome in record(other)] == [None]


def test_a_page_that_is_edited_meanwhile_is_not_written(page, record):
    found = page("```python\nprint(1)\n```\n")
    outcomes = record(found)
    next(outcomes)
    found.file.write_text("another page")
    with pytest.raises(BookError, match="page-edited"):
        next(outcomes)
    assert found.file.read_text() == "another page"


def test_check_writes_nothing(page, record):
    found = page("```python\nprint(1)\n```\n")
    before = found.file.read_bytes()
    (outcome,) = record(found, check=True)
    assert outcome.error is not None and outcome.error.rule == "probe-output"
    assert found.file.read_bytes() == before


def test_a_failing_probe_keeps_no_other_from_being_recorded(page, record):
    found = page("```python\n1 / 0\n```\n\n```python\nprint(1)\n```\n")
    first, second = record(found)
    assert first.error is not None and second.changed
    assert "print(1)\n#> 1\n" in found.file.read_text()


def test_a_translation_has_ids_of_its_own(page):
    page("```python\nprint(1)\n```\n")
    file = page("", "zh").file
    file.write_text("---\ntitle: 页\nquestion: 什么？\ntranslated_from: 0123456789abcdef\n---\n\n"
                    "```python\nprint('中文')\n#> 中文\n```\n", encoding="utf-8")  # fmt: skip
    book = Book.load(file.parents[3])
    ids = [probe.id for one in book.pages.values() for probe in probes_of(one)]
    assert ids == ["module-00-x/a:L11", "zh/module-00-x/a:L7"]
    chinese = book.pages[file.relative_to(book.root)]
    (probe,) = probes_of(chinese)
    check(probe, Runner().run(probe, "cpu", [probe]))


def test_excused_blocks_and_those_that_only_show_a_fence_are_no_probes(page):
    found = page('```python {excuse="a sketch, not code"}\n1 / 0\n```\n\n    ```python\n    1 / 0\n    ```\n')
    assert probes_of(found) == []


def test_old_outputs_go_and_strings_that_look_like_them_stay():
    source = 'text = """\n#> not a comment\n"""\n#> old\nprint(text)  #> no line of its own\n'
    assert with_outputs(source, {}) == source.replace("#> old\n", "")


def test_rewriting_leaves_the_rest_of_a_page(page):
    found = page("a\n\n```python\nx = 1\n```\n\nb\n\n```python\ny = 2\n```\nc")
    first, second = probes_of(found)
    text = rewrite(found.file.read_text(), {first.line: (first, "x = 3\n#> 4\n"), second.line: (second, "")})
    assert text == FRONT + "a\n\n```python\nx = 3\n#> 4\n```\n\nb\n\n```python\n```\nc"


def test_two_pages_may_register_the_same_operator(tmp_path, record):
    text = """```python {group="one"}
import torch

library = torch.library.Library("twopages", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")


@torch.library.custom_op("twopages::thrice", mutates_args=())
def thrice(x: torch.Tensor) -> torch.Tensor:
    return x * 3


torch.library.impl("twopages::twice", "Meta")(lambda x: torch.empty_like(x))
print(torch.ops.twopages.twice(torch.ones(1)).item(), thrice(torch.ones(1)).item())
#> 2.0 3.0
```
"""
    for name in ("a", "b"):
        file = tmp_path / "docs" / "en" / "module-00-x" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FRONT + text, encoding="utf-8")
    for page in Book.load(tmp_path).pages.values():
        assert [outcome.error for outcome in record(page, check=True)] == [None]


def test_what_a_page_does_to_the_process_no_other_sees(page, record):
    found = page(
        "```python\nimport builtins\n\nprint(hasattr(builtins, 'left'))\n#> False\nbuiltins.left = 1\n```\n"
    )
    for _ in range(2):
        assert [outcome.error for outcome in record(found, check=True)] == [None]


def test_a_probe_that_ends_its_process_takes_none_along_but_its_group(page, record):
    ends = "import os\nimport sys\n\nprint('gone', file=sys.stderr)\nos._exit(3)\n"
    found = page(
        "```python\nprint(1)\n#> 1\n```\n\n"
        f'```python {{group="ends"}}\n{ends}```\n\n'
        "```python\nprint(2)\n#> 2\n```\n\n"
        '```python {group="ends"}\nprint(3)\n#> 3\n```\n\n'
        "```python\nprint(4)\n#> 4\n```\n"
    )
    above, ended, between, beside, below = record(found, check=True)
    assert [outcome.error for outcome in (above, between, below)] == [None] * 3
    assert (ended.error.rule, ended.error.line) == ("probe", 16) and "exit status 3" in str(ended.error)
    assert "exit status 3" in str(beside.error), "it was never run, and says so"
