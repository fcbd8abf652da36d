"""The scanner of fences and the grammar of the book's own ones."""

from __future__ import annotations

from textwrap import dedent

import pytest
from inside_torch.book.fences import parse_body, parse_info, parse_range, scan
from inside_torch.errors import BookError


def _one(text: str):
    (fence,) = scan(dedent(text))
    return fence


def test_line_numbers_and_body():
    fence = _one('# A\n\n```python {id="x" group="g"}\nprint(1)\n#> 1\n```\n')
    assert (fence.line, fence.body_line, fence.last_line) == (3, 4, 6)
    assert fence.language == "python" and fence.options == {"id": "x", "group": "g"}
    assert fence.body == "print(1)\n#> 1\n"


@pytest.mark.parametrize(
    ("info", "language", "options"),
    [
        ("python", "python", {}),
        (' python {id="x"}', "python", {"id": "x"}),
        ('{.python id="x"}', "python", {"id": "x"}),
        ("{ .python #x group=g }", "python", {"id": "x", "group": "g"}),
        ("console {excuse='a \"word\"'}", "console", {"excuse": 'a "word"'}),
        ('python title="x.py"', "python", {"title": "x.py"}),
        ("", "", {}),
    ],
)
def test_info(info, language, options):
    assert parse_info(info) == (language, options)


@pytest.mark.parametrize(
    "info", ['python {id="x"', "python {id=}", 'python {id="x" id="y"}', "python {what is this}"]
)
def test_bad_info(info):
    with pytest.raises(BookError, match="fence-options"):
        parse_info(info, 7)


@pytest.mark.parametrize(
    "text",
    [
        "- item\n\n    ```python\n    x\n    ```\n",
        "- item\n    - inner\n\n        ```python\n        x\n        ```\n",
        "!!! note\n    text\n\n    ```python\n    x\n    ```\n",
        "> ```python\n> x\n> ```\n",
        "~~~python\nx\n~~~\n",
        "````python\nx\n````\n",
        "1. one\n\n    ```python\n    x\n    ```\n",
        "`<!--` is no comment\n\n```python\nx\n```\n",
    ],
)
def test_found_where_the_page_draws_it(text):
    fence = _one(text)
    assert (fence.language, fence.body) == ("python", "x\n")


@pytest.mark.parametrize(
    "text",
    [
        "Shown:\n\n    ```python\n    x\n    ```\n",
        "- item\n\n        ```python\n        x\n        ```\n\ntext\n\n    ```python\n    x\n    ```\n",
        "<!--\n```python\nx\n```\n-->\n",
        "`` ```python `` in a sentence\n",
    ],
)
def test_not_a_fence(text):
    assert scan(text) == []


def test_fence_inside_a_longer_fence():
    fence = _one("````text\n```python\nx\n```\n````\n")
    assert fence.body == "```python\nx\n```\n"


def test_unclosed():
    with pytest.raises(BookError) as caught:
        scan("text\n\n```python\nx\n````\n")
    assert (caught.value.rule, caught.value.line) == ("unclosed-fence", 3)


EXCERPT = """\
```excerpt
src:torch/autograd/graph.py::_engine_run_backward
id: engine-entry
show: `attach` .. `unregister_hooks()`
fold: `try:` .. `finally:`
fold: `a`

`attach = `: The hooks,
  and more.

  A second paragraph.
`t_outputs` x2: Named twice.
```
"""


def test_excerpt():
    body = parse_body(_one(EXCERPT))
    assert body.subject == "src:torch/autograd/graph.py::_engine_run_backward"
    assert body.one("id") == "engine-entry" and body.one("section", "none") == "none"
    assert body.keys["fold"] == ["`try:` .. `finally:`", "`a`"] and body.key_lines["fold"] == [5, 6]
    first, second = body.annotations
    assert (first.pattern, first.step, first.count, first.line) == ("attach =", None, 1, 8)
    assert first.text == "The hooks,\nand more.\n\nA second paragraph."
    assert (second.pattern, second.count, second.text) == ("t_outputs", 2, "Named twice.")


def test_steps():
    body = parse_body(
        _one("```excerpt\nsrc:a.cpp::F\n\n1. One, with `code`: yes.\n2. `0 <= i`: Two.\n   More.\n```\n")
    )
    assert [(a.step, a.pattern, a.text) for a in body.annotations] == [
        (1, None, "One, with `code`: yes."),
        (2, "0 <= i", "Two.\nMore."),
    ]


def test_pattern_that_holds_a_backtick():
    body = parse_body(_one("```excerpt\nsrc:a.py\n\n``a `b` c``: Text.\n```\n"))
    assert body.annotations[0].pattern == "a `b` c"


def test_rows_of_measurements():
    body = parse_body(_one("```measurements\nm/a/x\nrows:\n  one: first: label\n  two: second\nid: y\n```\n"))
    assert body.rows == {"one": "first: label", "two": "second"} and body.one("id") == "y"


@pytest.mark.parametrize(
    ("inner", "rule", "line"),
    [
        ("", "fence-subject", 1),
        ("src:a.py\nfoldd: `a`\n", "fence-key", 3),
        ("src:a.py\nid: a\nid: b\n", "fence-key", 4),
        ("src:a.py\nid:\n", "fence-key", 3),
        ("src:a.py\nsome text\n", "fence-key", 3),
        ("src:a.py\n\nsome text\n", "annotation", 4),
    ],
)
def test_bad_bodies(inner, rule, line):
    with pytest.raises(BookError) as caught:
        parse_body(_one(f"```excerpt\n{inner}```\n"))
    assert (caught.value.rule, caught.value.line) == (rule, line)


def test_nearest_key_is_named():
    with pytest.raises(BookError) as caught:
        parse_body(_one("```excerpt\nsrc:a.py\nfoldd: `a`\n```\n"))
    assert caught.value.nearest == "fold"


def test_no_annotations_where_none_are_drawn():
    with pytest.raises(BookError, match="takes no annotation"):
        parse_body(_one("```output\nm/a/x.py\n\n`a`: text\n```\n"))


def test_range():
    assert parse_range("`a b` .. `c`") == ("a b", "c")
    assert parse_range("`a`") == ("a", None)
    with pytest.raises(BookError, match="fence-range"):
        parse_range("a .. b")
