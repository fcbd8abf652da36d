"""What the text of a link to the source may name."""

from __future__ import annotations

import pytest
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.rules.link_text import link_texts
from inside_torch.book.whole_book import Book


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("[`f`](src:a/b.py::f)", True),
        ("[`c.f(x)`](src:a/b.py::C.f)", True),
        ("[`ns::C::f`](src:a/b.h::C::f)", True),
        ("[a `C`](src:a/b.h::C)", True),
        ("[`f`](<src:a/b.py::C#def f(x):>)", True),
        ("[`b.h`](src:a/b.h::C)", True),
        ("[`a/b.h`](src:x/a/b.h)", True),
        ("[`a.b`](src:a/b.py::init)", True),
        ("[`1e-6`](<src:a/b.py::f#eps: float = 1e-6,>)", True),
        ("[how `g` works](src:a/b.py::f)", True),
        ("[`ts`](src:a/b.py::f)<!-- differs: its short name -->", True),
        ("[`g`](src:a/b.py::f)", False),
        ("[`C.g`](src:a/b.py::C.f)", False),
        ("[the `g`](src:a/b.py::f)", False),
        ("[`c.h`](src:a/b.h)", False),
        ("[`g`](src:a/b.py::f) and [`ts`](src:a/b.py::h)<!-- differs: its short name -->", False),
        ("[uses `f`](src:a/b.py::g), [asks `g`](src:a/b.py::f)", False),
    ],
)
def test_the_text_of_a_link_names_its_address(tmp_path, text, agrees):
    file = tmp_path / ENGLISH.docs / "index.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"# A page\n\n{text}\n")
    page = Page.load(tmp_path, file, ENGLISH)
    assert (
        len(page.links) == text.count("](")
        and bool(list(link_texts(Book(tmp_path, {page.path: page})))) != agrees
    )
