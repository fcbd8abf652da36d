"""Whatever an author, or the source itself, writes: it is shown as text and never becomes a script."""

from __future__ import annotations

import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inside_torch.errors import BookError

from .small_book import EDGE, GRAPH, fence

calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

HOSTILE = st.lists(
    st.sampled_from(
        [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "</script>",
            "<b>",
            "javascript:alert(1)",
            "[x](javascript:alert(1))",
            "[x](<javascript:alert(1)>)",
            "![x](x)",
            '" onclick="x',
            "&lt;script&gt;",
            "<!--",
            "-->",
            "<a href='javascript:x'>y</a>",
            "`",
            "``",
            "*",
            "_",
            "[",
            "](",
            "\\",
            "{onclick=x}",
            "{: onclick=x }",
            "word",
            " ",
            "é",
            "<iframe src=//x>",
            "<style>",
            "<base href=//x>",
        ]
    ),
    max_size=8,
).map("".join)


def harmless(html: str) -> None:
    """No element that runs something, no attribute that does, no address that is a script."""
    tree = BeautifulSoup(html, "html.parser")
    assert not tree(["script", "iframe", "object", "embed", "base", "form", "meta", "link", "style"]), html
    for element in tree(True):
        for name, value in element.attrs.items():
            assert not name.lower().startswith("on"), html
            if name in ("href", "src", "xlink:href", "action"):
                assert not str(value).strip().lower().startswith(("javascript:", "vbscript:", "data:text")), (
                    html
                )


@calm
@given(HOSTILE)
def test_a_remark_is_text(converter, words):
    try:
        html = converter().convert(fence("excerpt", GRAPH, "", f"`t_outputs,`: x {words}"))
    except BookError:
        return
    harmless(html)


@calm
@given(HOSTILE)
def test_a_step_of_a_path_and_a_row_of_numbers_are_text(converter, words):
    for text in (
        fence("path", "demo/add", "", f"`Engine::execute`: x {words}"),
        fence("measurements", "demo/add", "rows:", f"  ratio: x {words}"),
        fence("program", "demo/add.py", "", f"`loss =`: x {words}"),
    ):
        try:
            harmless(converter().convert(text))
        except BookError:
            continue


@calm
@given(HOSTILE, HOSTILE)
def test_a_diagram_is_text(converter, title, label):
    text = fence(
        "mermaid",
        "flowchart TD",
        f"  accTitle: x {title}",
        f"  accDescr: x {label}",
        f'  A["y {label}"] --> B',
        f'  click B href "{EDGE}"',
    )
    try:
        html = converter().convert(text)
    except BookError:
        return
    harmless(html)


@pytest.mark.parametrize(
    "address",
    [
        "src:../../etc/passwd",
        "src:/etc/passwd",
        "src:torch/%2e%2e/%2e%2e/etc/passwd",
        "src:torch/..",
        "src:~/x.py",
    ],
)
@pytest.mark.parametrize("form", ["[x]({})", "[x](<{}>)", "excerpt", "click"])
def test_no_form_of_an_address_leaves_the_tree(converter, address, form):
    text = {
        "excerpt": fence("excerpt", address),
        "click": fence(
            "mermaid",
            "flowchart TD",
            "  accTitle: A",
            "  accDescr: B",
            "  A --> B",
            f'  click A href "{address}"',
        ),
    }.get(form) or form.format(address)
    with pytest.raises(BookError) as raised:
        converter().convert(text)
    assert raised.value.rule in ("address-form", "pin-not-locked", "diagram-click")


def test_what_a_program_printed_is_text(draw):
    drawn = draw(fence("output", "demo/add"))
    assert not drawn("script") and "<script>alert(1)</script>" in drawn.pre.text
