"""Which addresses a page uses, and where."""

from __future__ import annotations

import pytest
from inside_torch.book.uses import collect, in_markdown, in_yaml, places
from inside_torch.errors import BookError

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

```excerpt {other}
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


def test_markdown():
    found = list(in_markdown(PAGE))
    assert found == [
        ("src:a.py::f", 4),
        ("src:b.h::C#int  x", 4),
        ("src:b.h::g(int,long)", 4),
        ("src:ref.py", 6),
        ("src:html.py::f", 7),
        ("src:item.py", 13),
        ("src:note.py", 16),
        ("src:noted.py::f", 19),
        ("src:c.cpp::Engine::run(int, long)#a text", 23),
        ("src:d.py", 26),
        ("src:not-first.py", 27),
        ("src:e.py::f", 33),
        ("src:f.h::C#int x", 34),
        ("src:g.py::h", 35),
    ]
    assert not [address for address, _ in found if "no.py" in address]


def test_an_address_may_hold_a_template():
    address = "src:torch/x.h::f(std::vector<c10::Warning>)"
    assert list(in_markdown(f"[x](<{address}>) and (so) [y](<src:a.h#a->b>).")) == [
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
    used, wrong = places(collect(tmp_path))
    assert not wrong
    assert {address: [f"{file}:{line}" for file, line in uses] for address, uses in used.items()} == {
        "src:a.py": ["docs/en/m/a.md:1", "docs/zh/m/a.md:1"],
        "src:b.py": ["docs/en/m/a.md:3"],
        "src:c.py::f": ["snippets/m/a/p.trace.yml:2"],
    }


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [("docs/en/x.md", b"\xff\xfe", "page-encoding"), ("snippets/x.yml", b"a: [\n", "yaml-form")],
)
def test_a_file_that_cannot_be_read_is_one_error(tmp_path, name, content, rule):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BookError) as caught:
        collect(tmp_path)
    assert caught.value.rule == rule and name in str(caught.value)


def test_a_bad_form_is_placed(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "x.md").write_text("\n[x](src:../a.py)\n")
    _, (error,) = places(collect(tmp_path))
    assert error.rule == "address-form" and error.place == "docs/x.md:2"
