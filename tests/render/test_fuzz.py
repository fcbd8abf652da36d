"""Whatever an author, or the source itself, writes: it is shown as text and never becomes a script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inside_torch.errors import BookError

from .small_book import EDGE, GRAPH, fence

CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
calm = settings(max_examples=60, suppress_health_check=CALM)

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


class Shown:
    """Converts texts, each of which is shown harmlessly or refused; most of them must have been shown."""

    def __init__(self, converter) -> None:
        self.converter = converter
        self.shown: list[str] = []
        self.refused: list[str] = []

    def __call__(self, text: str) -> None:
        try:
            html = self.converter().convert(text)
        except BookError:
            self.refused.append(text)
            return
        harmless(html)
        self.shown.append(text)

    def most(self) -> None:
        assert len(self.shown) > len(self.refused), (len(self.shown), self.refused[:5])
        assert any("<" in text for text in self.shown) and any("javascript:" in text for text in self.shown)


@pytest.fixture
def show(converter) -> Iterator[Shown]:
    shown = Shown(converter)
    yield shown
    shown.most()


@calm
@given(HOSTILE)
def test_a_remark_is_text(show, words):
    show(fence("excerpt", GRAPH, "", f"`t_outputs,`: x {words}"))


#: Backticks that are no code for Markdown, and would be for a reader who does not count or unescape them.
NO_CODE = ["\\`<img src=x onerror=alert(1)>`", "``<img src=x onerror=alert(1)>```", "```<script>x</script>``"]


@pytest.mark.parametrize("words", NO_CODE)
def test_what_is_no_code_for_markdown_is_text(converter, words):
    for made in (
        fence("excerpt", GRAPH, "", f"`t_outputs,`: x {words}"),
        fence("measurements", "demo/add", "rows:", f"  ratio: x {words}"),
    ):
        harmless(converter().convert(made))


@pytest.mark.parametrize(
    "lines",
    [
        ("path", "demo/add", "", "`Engine::execute`: x {}"),
        ("measurements", "demo/add", "rows:", "  ratio: x {}"),
        ("program", "demo/add.py", "", "`loss =`: x {}"),
    ],
    ids=lambda lines: lines[0],
)
@calm
@given(words=HOSTILE)
def test_a_step_of_a_path_and_a_row_of_numbers_are_text(show, lines, words):
    show(fence(*lines[:-1], lines[-1].replace("{}", words)))


@calm
@given(HOSTILE, HOSTILE)
def test_a_diagram_is_text(show, title, label):
    show(
        fence(
            "mermaid",
            "flowchart TD",
            f"  accTitle: x {title}",
            f"  accDescr: x {label}",
            f'  A["y {label}"] --> B',
            f'  click B href "{EDGE}"',
        )
    )


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
