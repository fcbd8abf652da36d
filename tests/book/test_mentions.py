"""From a line of PyTorch to the articles that explain it."""

from __future__ import annotations

from pathlib import Path

import pytest
from inside_torch.book.mentions import holding, mentions, repository_path
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.verify import lock_all

CLASS = "src:torch/autograd/graph.py::Node"
METHOD = "src:torch/autograd/graph.py::Node.name"
FIELD = "src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;"
WHOLE = "src:torch/csrc/autograd/edge.h"
PAGE = f"""---
title: "Nodes"
---

# Nodes {{#nodes}}

A [node]({CLASS}).

## Its name {{#its-name}}

It has [one]({METHOD}), an [edge](<{FIELD}>) and [a file]({WHOLE}).
"""


@pytest.fixture
def found(tmp_path, sources):
    page = tmp_path / "docs" / "en" / "module-02-x" / "nodes.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE)
    (page.parent.parent / "index.md").write_text(f"[not an article]({CLASS})\n")
    used = {address: (Path("a.md"), 1) for address in (CLASS, METHOD, FIELD, WHOLE)}
    lock, _ = lock_all(tmp_path, used, sources)
    return mentions(Book.load(tmp_path), lock)


def test_a_mention_has_its_heading_and_its_article(found):
    first = found[0]
    assert (first.page, first.line, first.anchor, first.title, first.article) == (
        "module-02-x/nodes",
        7,
        "nodes",
        "Nodes",
        "Nodes",
    )
    assert [mention.anchor for mention in found] == ["nodes", "its-name", "its-name", "its-name"]


def test_the_narrowest_pin_comes_first(found):
    method = next(mention for mention in found if str(mention.pin.address) == METHOD)
    here = holding(found, "torch/autograd/graph.py", method.pin.first)
    assert [str(mention.pin.address) for mention in here] == [METHOD, CLASS]


def test_a_file_lists_what_is_said_of_it_by_line(found):
    here = holding(found, "torch/csrc/autograd/edge.h", None)
    assert [str(mention.pin.address) for mention in here] == [WHOLE, FIELD]


def test_a_line_that_no_pin_holds_names_the_nearest_that_are(found):
    with pytest.raises(BookError, match="where-line") as raised:
        holding(found, "torch/autograd/graph.py", 1)
    first = next(mention.pin for mention in found if str(mention.pin.address) == CLASS)
    assert raised.value.nearest.startswith(f"{first.first}-{first.last}")


def test_a_file_that_no_page_speaks_of_names_the_nearest(found):
    with pytest.raises(BookError, match="where-file") as raised:
        holding(found, "torch/autograd/grap.py", None)
    assert "torch/autograd/graph.py" in raised.value.nearest


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("./torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("src:torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("/home/me/pytorch/torch/autograd/graph.py", "torch/autograd/graph.py"),
        (".venv/lib/python3.11/site-packages/torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("C:\\pytorch\\torch\\autograd\\graph.py", "torch/autograd/graph.py"),
        (
            ".venv/lib/python3.11/site-packages/torch/include/ATen/core/Tensor.h",
            "aten/src/ATen/core/Tensor.h",
        ),
        ("/x/site-packages/torch/include/c10/core/Device.h", "c10/core/Device.h"),
        ("other/graph.py", "other/graph.py"),
    ],
)
def test_a_path_is_known_wherever_the_file_lies(given, path):
    assert repository_path(given, ["torch/autograd/graph.py", "graph.pyi"]) == path


def test_the_verb(tmp_path, found):
    from ..pins.test_cli import run

    assert run("lock", "--root", tmp_path)[0] == 0
    status, said = run("where", f"{tmp_path}/torch/csrc/autograd/edge.h:38", "--root", tmp_path)
    assert status == 0 and "Nodes: Its name" in said and "docs/en/module-02-x/nodes.md:11" in said
    assert "[where-line]" in run("where", "torch/csrc/autograd/edge.h:1", "--root", tmp_path)[1]
