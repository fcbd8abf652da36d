"""Which addresses a page uses, and where."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from xml.etree.ElementTree import fromstring

import pytest
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.uses import in_yaml, places, uses
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.render.pin_links import SourceLink
from markdown import Markdown

PAGE = """\
---
title: x
---
A [link](src:a.py::f), two: [x](<src:b.h::C#int  x>) and [y](src:b.h::g(int,long) "title").
Code is no use: `[x](src:no.py)` and ``[`](src:no.py)``.
[ref]: <src:ref.py>
<a href="src:html.py::f">raw</a>

    [x](src:no.py::code)

- item

    [x](src:item.py)

!!! note
    [x](src:note.py)

    ```excerpt
    src:noted.py::f
    ```

```excerpt
src:c.cpp::Engine::run(int, long)#a text
id: x

`pattern`: see [there](src:d.py).
src:not-first.py
```

```mermaid
flowchart TD
  A["src:no.py"] --> B
  click A href "src:e.py::f"
  click B "src:f.h::C#int x" "tip"
  link P: source @ src:g.py::h
```

```python
print("[x](src:no.py)")
```

````text {excuse="shown"}
```excerpt
src:no.py
```
````

Text

    ```excerpt
    src:no.py::indented
    ```
"""

YAML = """\
# src:no.py
python:
  - src:a.py::f
  - "src:b.py::g#x y"
pins:
  some::symbol: src:c.cpp::h
"""


def used(tmp_path: Path, text: str) -> list[tuple[str, int]]:
    """(address as written, line) of every use on a page with this text."""
    file = tmp_path / ENGLISH.docs / "page.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return [(use.written, use.line) for use in Page.load(tmp_path, file, ENGLISH).uses]


def test_markdown(tmp_path):
    found = used(tmp_path, PAGE)
    assert found == [
        ("src:a.py::f", 4),
        ("src:b.h::C#int x", 4),
        ("src:b.h::g(int,long)", 4),
        ("src:ref.py", 6),
        ("src:item.py", 13),
        ("src:note.py", 16),
        ("src:noted.py::f", 19),
        ("src:c.cpp::Engine::run(int, long)#a text", 23),
        ("src:d.py", 26),
        ("src:e.py::f", 33),
        ("src:f.h::C#int x", 34),
        ("src:g.py::h", 35),
    ]
    assert not [address for address, _ in found if "no.py" in address]


FORMS = {
    "an excerpt in a blockquote": ("> ```excerpt\n> src:a.py::f\n> ```\n", [("src:a.py::f", 2)]),
    "a fence whose language is a class": ("``` {.excerpt}\nsrc:a.py::f\n```\n", [("src:a.py::f", 2)]),
    "angle brackets, two lines": ("[x](<src:a.h::f(int,\nlong)>)", [("src:a.h::f(int, long)", 1)]),
    "no brackets, two lines": ("[x](src:a.h::f(int,\nlong))", [("src:a.h::f(int, long)", 1)]),
    "the words over two lines": ("[x\ny](src:a.py::f)", [("src:a.py::f", 1)]),
    "a title": ('[x](src:a.py::f "t")', [("src:a.py::f", 1)]),
    "a title in single quotes": ("[x](<src:a.py::f> 't')", [("src:a.py::f", 1)]),
    "a quote in the text": ('[x](<src:a.h#include "b.h">)', [('src:a.h#include "b.h"', 1)]),
    "an attribute of HTML": ('<a href="src:a.py::f">x</a>', []),
    "a comment on one line": ("Text. <!-- [x](src:a.py::f) -->", []),
    "a comment on several": ("<!--\n[x](src:a.py::f)\n-->", []),
    "a code span over two lines": ("A `span\n[x](src:a.py::f)` and [y](src:b.py)", [("src:b.py", 2)]),
    "a label of measurements": (
        "```measurements\nm/a/x\nrows:\n  one: [x](src:a.py::f)\n```\n",
        [("src:a.py::f", 4)],
    ),
    "a key of a fence": ("```output\nm/a/x\nwhy: as [x](src:a.py::f) says\n```\n", []),
    "what a fence that takes no remarks says": ("```exercise\nm/a/x\n[x](src:a.py)\n```\n", []),
    "a second address of an excerpt": ("```excerpt\nsrc:a.py\n\n`b`: text\nsrc:c.py\n```", [("src:a.py", 2)]),
    "an image": ("![x](src:a.py::f)", [("src:a.py::f", 1)]),
    "a reference with a title": ('[x][r]\n\n[r]: src:a.py::f "t"', [("src:a.py::f", 3)]),
    "a line of a diagram that Mermaid reads otherwise": (
        "```mermaid\nsequenceDiagram\n  links P: a @ src:a.py\n```",
        [],
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_read_one_way(tmp_path, form):
    text, wanted = FORMS[form]
    assert used(tmp_path, text) == wanted


@pytest.mark.parametrize(
    "form", ["angle brackets, two lines", "no brackets, two lines", "a title", "a title in single quotes"]
)
def test_what_the_book_reads_the_site_links(tmp_path, form):
    text, [(address, _)] = FORMS[form]
    md = Markdown()
    md.inlinePatterns.register(SourceLink(SimpleNamespace(md=md)), "source", 161)
    drawn = fromstring(md.convert(text))
    assert " ".join(drawn.find("a").get("href").split()) == address


def test_an_address_may_hold_a_template(tmp_path):
    address = "src:torch/x.h::f(std::vector<c10::Warning>)"
    assert used(tmp_path, f"[x](<{address}>) and (so) [y](<src:a.h#a->b>).") == [
        (address, 1),
        ("src:a.h#a->b", 1),
    ]


def test_yaml():
    assert list(in_yaml(YAML)) == [("src:a.py::f", 3), ("src:b.py::g#x y", 4), ("src:c.cpp::h", 6)]


def test_every_use_has_its_place(tmp_path):
    for name, text in {
        "docs/en/m/a.md": "[x](src:a.py)\n\n[y](src:b.py)\n",
        "docs/zh/m/a.md": "[x](src:a.py)\n",
        "docs/en/contributing/how.md": "[x](src:no.py)\n",
        "snippets/m/a/p.trace.yml": "python:\n- src:c.py::f\n",
        "snippets/m/a/other.py": "# [x](src:no.py)\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    found, wrong = places(uses(Book.load(tmp_path)))
    assert not wrong
    assert {address: [f"{file}:{line}" for file, line in several] for address, several in found.items()} == {
        "src:a.py": ["docs/en/m/a.md:1", "docs/zh/m/a.md:1"],
        "src:b.py": ["docs/en/m/a.md:3"],
        "src:c.py::f": ["snippets/m/a/p.trace.yml:2"],
    }


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [("docs/en/x.md", b"\xff\xfe", "encoding"), ("snippets/x.yml", b"a: [\n", "yaml-form")],
)
def test_a_file_that_cannot_be_read_is_one_error(tmp_path, name, content, rule):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BookError) as caught:
        uses(Book.load(tmp_path))
    assert caught.value.rule == rule and name in str(caught.value)


def test_a_bad_form_is_placed(tmp_path):
    (tmp_path / "docs" / "en").mkdir(parents=True)
    (tmp_path / "docs" / "en" / "x.md").write_text("\n[x](src:../a.py)\n")
    _, (error,) = places(uses(Book.load(tmp_path)))
    assert error.rule == "address-form" and error.place == "docs/en/x.md:2"
