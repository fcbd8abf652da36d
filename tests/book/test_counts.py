"""Counts in the prose, and where they may come from."""

from __future__ import annotations

import pytest
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.rules.counts import typed_counts
from inside_torch.book.whole_book import Book

PROBE = """
```python {id="shown"}
print(137, 1_000, "twenty")
#> 137 1000 twenty
```
"""


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (f"There are 137.\n{PROBE}", 0),
        (f"There are 1,000 of twenty.\n{PROBE}", 0),
        (f"[137](#shown) are there.\n\n### Else {{#else}}\n{PROBE}", 0),
        ("Three of nine.", 0),
        ("Since 2.13.0, in 2017, on 2026-11-22, with C++17, PEP 523, step 12, lines 20 to 30.", 0),
        ("A `float64` of `128`.", 0),
        ("[128 bits](<src:a/b.h#uint128_t x;>) and {{ a/b/c:n }}.", 0),
        ("There are 128. <!-- number: 2 to the power of 7 -->", 0),
        ("A key is 0x1f or a-12 or #34.", 0),
        (f"There are 136.\n{PROBE}", 1),
        (f"There are 137.\n\n### Else {{#else}}\n{PROBE}", 1),
        ("There are 128. <!-- number: -->", 1),
        ("Ten, and thirty-one, and 0.5.", 3),
    ],
)
def test_a_count_stands_in_what_its_section_shows(tmp_path, text, counts):
    file = tmp_path / ENGLISH.docs / "module-01-a" / "b.md"
    file.parent.mkdir(parents=True)
    front = "---\ntitle: B\nquestion: What?\nrequires: []\nminutes: 5\nhardware: cpu\n---\n"
    file.write_text(f"{front}\n# B {{#b}}\n\n## Concepts {{#concepts}}\n\n{text}\n")
    page = Page.load(tmp_path, file, ENGLISH)
    assert not page.errors
    assert len(list(typed_counts(Book(tmp_path, {page.path: page})))) == counts
