"""What an error means: the entry that a text fits comes first, whatever numbers and frames are in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from inside_torch.book.error_finder import entries, fitting
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

ROOT = Path(__file__).parents[2]
CHANGELOG = ROOT / "docs" / "en" / "about" / "changelog.md"

PAGE = """---
title: Errors
---

# Errors {#errors}

## Shapes {#shapes}

### The size of tensor a must match {#sizes}

```python {id="one"}
print("The size of tensor a (3) must match the size of tensor b (2)")
#> The size of tensor a (3) must match the size of tensor b (2)
print(1)
#> 1
```

The [shapes](a.md#b) do not
broadcast.

Look at both.

### Could not run … with arguments {#run}

It has no kernel.

## Graphs {#graphs}

### backward through the graph {#graph}

Twice.
"""


@pytest.fixture
def known(tmp_path):
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "docs" / "en" / "errors.md").write_text(PAGE)
    return entries(Book.load(tmp_path))


def found(known, text: str) -> list[str]:
    return [fit.entry.anchor for fit in fitting(known, text)]


def test_an_entry_is_its_heading_and_what_is_printed_and_told_below_it(known):
    first, second, third = known
    assert (first.title, first.anchor, first.area) == ("The size of tensor a must match", "sizes", "Shapes")
    assert first.messages[1:] == ("The size of tensor a (3) must match the size of tensor b (2)",)
    assert first.told == "The shapes do not broadcast.\n\nLook at both."
    assert PAGE.splitlines()[first.line - 1].startswith("### The size")
    assert (second.told, third.area) == ("It has no kernel.", "Graphs")


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("RuntimeError: The size of tensor a (64) must match the size of tensor b (7) at dim 1", ["sizes"]),
        ("NotImplementedError: Could not run 'aten::add' with arguments from the 'X' backend", ["run"]),
        ("[rank0]: could NOT run\n0x7ffe with arguments [3, 4]", ["run"]),
        ("IndexError: list index out of range", []),
        ("", []),
    ],
)
def test_numbers_names_and_the_rest_of_a_message_do_not_matter(known, text, fits):
    assert found(known, text) == fits


def test_the_message_counts_and_not_the_frames_above_it(known):
    frames = '  File "a.py", line 1, in <module>\n    print("backward through the graph")\n'
    assert found(known, frames) == []
    both = f"Traceback (most recent call last):\n{frames}RuntimeError: Could not run x with arguments"
    assert found(known, both) == ["run"]
    two = "Trying to backward through the graph: could not run it with arguments"
    assert set(found(known, two)) == {"graph", "run"}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        # Below the frame of what was typed, or of a library, stands the message.
        ('  File "<stdin>", line 1, in <module>\nRuntimeError: Could not run x with arguments', ["run"]),
        ('File "<stdin>", line 1, in <module>\nRuntimeError: Could not run x with arguments', ["run"]),
        ('[rank0]:   File "a.py", line 1\n[rank0]: Could not run x with arguments', ["run"]),
        ('  File "a.py", line 1\n**torch.OutOfMemoryError: Could not run x with arguments', ["run"]),
        # Or its source, with its place or without.
        ('  File "a.py", line 1\n    raise ValueError("Could not run x with arguments")', []),
        ('File "a.py", line 1\nraise ValueError("Could not run x with arguments")', []),
    ],
)
def test_below_a_frame_stands_its_source_or_the_message(known, text, fits):
    assert found(known, text) == fits


def test_each_entry_of_the_book_is_found_by_what_it_prints():
    known = entries(Book.load(ROOT))
    assert len(known) > 30
    for entry in known:
        for message in entry.messages:
            assert entry.anchor in found(known, re.sub(r"\b\d+\b", "7", message)), (entry.anchor, message)
        assert entry.told, entry.anchor


def test_what_people_pasted_is_found_first_in_nine_of_ten():
    known = entries(Book.load(ROOT))
    pasted = yaml.safe_load((ROOT / "tests/fixtures/tracebacks.yml").read_text())
    assert len(pasted) >= 60 and len({one["from"] for one in pasted}) == len(pasted)
    assert {one["entry"] for one in pasted} <= {entry.anchor for entry in known}
    missed = [one["from"] for one in pasted if found(known, one["text"])[:1] != [one["entry"]]]
    assert len(missed) <= len(pasted) / 10, missed


def test_a_book_with_no_such_page_says_so(tmp_path):
    (tmp_path / "docs" / "en").mkdir(parents=True)
    with pytest.raises(BookError, match="no-such-page"):
        entries(Book.load(tmp_path))


def test_the_changelog_tells_how_many_entries_there_are():
    told = re.findall(r"\[Find an error\]\(\.\./errors\.md\) has (\d+) entries", CHANGELOG.read_text())
    assert told[:1] == [str(len(entries(Book.load(ROOT))))]  # of the newest release, which is the first
