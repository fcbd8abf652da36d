"""The scanner of fences and the grammar of the book's own ones."""

from __future__ import annotations

from textwrap import dedent

import pytest
from inside_torch.book.fence_kinds import DEVICES, LONGEST, TIMEOUT, parse, read
from inside_torch.book.fences import parse_info, scan
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
    body = read(_one(EXCERPT))
    assert body.subject == "src:torch/autograd/graph.py::_engine_run_backward"
    assert body.id == "engine-entry"
    assert [(span.first, span.last, span.line) for span in (*body.shows, *body.folds)] == [
        ("attach", "unregister_hooks()", 4),
        ("try:", "finally:", 5),
        ("a", None, 6),
    ]
    first, second = body.annotations
    assert (first.pattern, first.step, first.count, first.line) == ("attach =", None, 1, 8)
    assert first.text == "The hooks,\nand more.\n\nA second paragraph."
    assert (second.pattern, second.count, second.text) == ("t_outputs", 2, "Named twice.")


def test_steps():
    body = read(
        _one("```excerpt\nsrc:a.cpp::F\n\n1. One, with `code`: yes.\n2. `0 <= i`: Two.\n   More.\n```\n")
    )
    assert [(a.step, a.pattern, a.text) for a in body.annotations] == [
        (1, None, "One, with `code`: yes."),
        (2, "0 <= i", "Two.\nMore."),
    ]


def test_pattern_that_holds_a_backtick():
    body = read(_one("```excerpt\nsrc:a.py\n\n``a `b` c``: Text.\n```\n"))
    assert body.annotations[0].pattern == "a `b` c"


def test_rows_of_measurements():
    body = read(_one("```measurements\nm/a/x\nrows:\n  one: first: label\n  two: second\nid: y\n```\n"))
    assert [(row.name, row.label, row.line) for row in body.rows] == [
        ("one", "first: label", 4),
        ("two", "second", 5),
    ]
    assert body.id == "y"


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
        read(_one(f"```excerpt\n{inner}```\n"))
    assert (caught.value.rule, caught.value.line) == (rule, line)


def test_nearest_key_is_named():
    with pytest.raises(BookError) as caught:
        read(_one("```excerpt\nsrc:a.py\nfoldd: `a`\n```\n"))
    assert caught.value.nearest == "fold"


def test_no_annotations_where_none_are_drawn():
    with pytest.raises(BookError, match="takes no annotation"):
        read(_one("```output\nm/a/x.py\n\n`a`: text\n```\n"))


def wrong(text: str) -> list[tuple[str, str, str, int]]:
    return [(error.rule, error.found, error.nearest, error.line) for error in parse(_one(text))[1]]


def test_all_that_is_wrong_with_a_fence_is_told_at_once():
    told = wrong("```output {id=x}\nm/a/x\nnormalise: ids, adresses\ntimeout: 1801\nneeds: gbd\n```\n")
    assert told == [
        ("fence-options", "the option `id` of a output", "", 1),
        ("fence-value", "`adresses` in `normalise`", "addresses", 3),
        ("fence-value", "`timeout: 1801`", "", 4),
        ("fence-value", "`gbd` in `needs`", "gdb", 5),
    ]
    assert wrong("```excerpt\nsrc:a.py\nshow: a .. b\n```\n") == [("fence-range", "`a .. b`", "", 3)]


@pytest.mark.parametrize("options", ['devices="cuda"', 'why="a reason"', 'devices="cpu, cuda" why="both"'])
def test_a_device_is_one_and_has_a_reason(options):
    ((rule, _, _, line),) = wrong(f"```python {{{options}}}\nx\n```\n")
    assert (rule, line) == ("fence-value", 1)


def test_what_is_written_for_the_dry_gpu_runs_on_a_real_one_too():
    probe = read(_one('```python {devices="dry" why="it is the host"}\nx\n```\n'))
    assert probe.devices == ("dry", "cuda")
    probe = read(_one('```python {devices="dry-only" why="ranks are pretended"}\nx\n```\n'))
    assert probe.devices == ("dry",)
    assert wrong('```python {devices="dri" why="it is the host"}\nx\n```\n') == [
        ("fence-value", "`dri` in `devices`", "dry", 1)
    ]


def test_what_a_fence_does_not_say_has_its_default():
    output, probe = read(_one("```output\nm/a/x\n```\n")), read(_one("```python\nx\n```\n"))
    assert (output.rules, output.timeout, output.devices, output.needs) == ((), TIMEOUT, DEVICES, ())
    assert (probe.group, probe.rules, probe.devices, probe.raises) == ("L1", (), DEVICES, "")
    assert TIMEOUT < LONGEST


def test_an_option_says_something():
    assert wrong('```python {id=""}\nx\n```\n') == [("fence-options", "the option `id` with no value", "", 1)]


def test_fences_are_equal_where_only_their_words_and_lines_differ():
    text = "```program\nm/a/x.py\nsection: a\n\n`x = 1`: {}\n```\n"
    first, second = read(_one(text.format("One."))), read(_one("\n" + text.format("一。")))
    assert first == second != read(_one(text.replace("x = 1", "x = 2").format("One.")))
