"""What a reader copies is the code alone, and runs: read from the clipboard of the browser."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from inside_torch.book.fence_kinds import read as read_fence
from inside_torch.book.fences import scan
from inside_torch.render.pin_index import PinIndex
from inside_torch.site.publish import build_site
from inside_torch.site.server import SiteServer

from .conftest import PATIENCE, Site, Tabs
from .looks import contrast, spoiled
from .small_book import ARTICLE as SMALL
from .small_book import edit, small_book
from .test_pages import ARTICLE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / f"{ARTICLE.rstrip('/')}.md"
FENCES = scan(PAGE.read_text("utf-8"))
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}

SESSION = """```console {excuse="a session with what it prints"}
$ printf '%s\\n' one \\
    two
one
two
$ echo "$((20 + 3))"
23
(gdb) info symbol $pc
main in section .text
```
"""


def read(page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def copied(page, block) -> str:
    """What the button of a block, or of a listing's figure, puts into the clipboard."""
    page.evaluate("navigator.clipboard.writeText('nothing')")
    block.locator(".it-copy").first.click()
    block.locator(".it-copied").first.wait_for()
    return read(page)


def by_hand(page, block) -> str:
    """What is copied of a block that is selected from its first character to its last."""
    page.evaluate("navigator.clipboard.writeText('nothing')")
    block.evaluate(
        """(block) => {
          const lines = block.querySelectorAll(".it-text, pre > code > span");
          const last = lines[lines.length - 1];
          getSelection().setBaseAndExtent(lines[0], 0, last, last.childNodes.length);
        }"""
    )
    page.keyboard.press("Control+C")
    return read(page)


def run(*command: object, given: str | None = None) -> str:
    """What a command prints, run at the repository's root with the environment's programs."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        list(map(str, command)), cwd=ROOT, input=given, capture_output=True, text=True, timeout=PATIENCE,
        env=os.environ | {"PATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def page(visit):
    """The article."""
    return visit(ARTICLE)


def test_every_probe_is_copied_as_it_is_written(page):
    probes = [fence.body for fence in FENCES if fence.language == "python" and not fence.indent]
    shown = page.locator("article > .highlight > pre").all()
    assert [text for block in shown if (text := copied(page, block)) in probes] == probes
    assert len(probes) > 5


def test_a_probe_that_is_copied_runs(page, tmp_path):
    block = page.locator("article > .highlight > pre").first
    text = copied(page, block)
    assert by_hand(page, block).rstrip("\n") == text.rstrip("\n")
    told = re.findall(r"^ *#> (.*)$", text, re.MULTILINE)
    assert told, text
    (tmp_path / "probe.py").write_text(text, "utf-8")
    assert [line.rstrip() for line in run(sys.executable, tmp_path / "probe.py").splitlines()] == told


def program(page, name: str):
    return page.locator(f'.it-program:has(figcaption a[href$="/{name}"])').first


def test_a_program_that_is_copied_is_its_file_and_runs(page, tmp_path):
    figure = program(page, "one_backward.py")
    file = ROOT / "snippets/module-02-autograd/running-backward/one_backward.py"
    for take in (copied, by_hand):
        text = take(page, figure)
        assert without_markers(file.read_text("utf-8")) == text.rstrip("\n")
    (tmp_path / "program.py").write_text(text, "utf-8")
    assert run(sys.executable, tmp_path / "program.py") == file.with_suffix(".out").read_text("utf-8")


def test_a_section_that_is_copied_has_the_lines_of_its_file_and_no_remark(page):
    figures = page.locator(".it-program").all()
    subjects = [read_fence(fence).subject for fence in FENCES if fence.language == "program"]
    assert len(figures) == len(subjects) > 2
    for figure, subject in zip(figures, subjects, strict=True):
        file = without_markers((ROOT / "snippets" / subject).read_text("utf-8"))
        lines = iter(line.strip() for line in file.splitlines() if line.strip())
        shown = [line.strip() for line in copied(page, figure).splitlines() if line.strip()]
        assert shown and all(line in lines for line in shown), "in their order, and nothing else"


def without_markers(text: str) -> str:
    lines = [line for line in text.splitlines() if not re.match(r"\s*(#|//) (end)?region", line)]
    return re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip("\n")


def test_a_program_leads_to_its_file(page):
    links = page.locator(".it-program > figcaption > a.it-where, .it-exercise > figcaption a.it-where").all()
    assert links
    for link in links:
        found = re.fullmatch(r"https://[^/]+/[^/]+/[^/]+/blob/main/(snippets/.+)", link.get_attribute("href"))
        assert found and (ROOT / found[1]).is_file()
        assert link.get_attribute("target") == "_blank" and "noopener" in link.get_attribute("rel")


def test_an_excerpt_that_is_copied_is_the_code_without_our_remarks(visit):
    page = visit("en/")
    figure = page.locator(".it-excerpt:has(.it-note)").first
    held = PinIndex(ROOT).look("src:torch/autograd/graph.py::_engine_run_backward").excerpt
    for take in (copied, by_hand):
        text = take(page, figure)
        assert text.rstrip("\n") == textwrap.dedent("\n".join(held.lines)).rstrip("\n")
        ast.parse(text)


def test_commands_are_copied_without_their_prompts_and_run(visit):
    page = visit("en/source-index/")
    block = page.locator("pre:has(.gp)").first
    for take in (copied, by_hand):
        text = take(page, block)
        assert text.strip() == "inside-torch where torch/autograd/graph.py:975"
    assert "module-02-autograd" in run("bash", "-e", given=text)


def test_of_a_session_what_was_typed_is_copied(browser, tmp_path):
    book = small_book(tmp_path / "book")
    edit(book, SMALL, "One and one.\n", f"One and one.\n\n{SESSION}")
    server = SiteServer(tmp_path / "site", port=0)
    build_site(book, tmp_path / "site", strict=True, languages=("en",), url=server.url)
    server.start()
    tabs = Tabs(browser, Site(tmp_path / "site", server.url))
    page = tabs(**CLIPBOARD).open("en/module-01-sums/add/")
    text = copied(page, page.locator("pre:has(.gp)"))
    page.context.close()
    server.close()
    assert text == "printf '%s\\n' one \\\n    two\necho \"$((20 + 3))\"\ninfo symbol $pc\n"
    assert run("bash", "-e", given=text.replace("info symbol $pc\n", "")) == "one\ntwo\n23\n"


#: The colour of each button, what is behind it, its size and its name.
BUTTONS = """
(all) => all.map((button) => {
  const behind = (node) => {
    const fill = getComputedStyle(node).backgroundColor;
    return fill === "rgba(0, 0, 0, 0)" ? behind(node.parentElement) : fill;
  };
  const box = button.getBoundingClientRect();
  return [getComputedStyle(button).color, behind(button), box.width, box.height, button.ariaLabel];
})
"""


def test_the_buttons_are_seen_without_a_pointer_over_them_and_on_touch(tabs):
    tab = tabs(390, has_touch=True, **CLIPBOARD)
    page = tab.open(ARTICLE)
    blocks = page.locator(".md-typeset pre > code, .it-code").count()
    for scheme in ("light", "dark"):
        tab.show(scheme=scheme)
        buttons = page.locator(".it-copy").evaluate_all(BUTTONS)
        assert len(buttons) == blocks > 20
        for colour, behind in {(colour, behind) for colour, behind, *_ in buttons}:
            assert contrast(page, colour, behind) >= 3
        for *_, width, height, name in buttons:
            assert min(width, height) >= 24 and name == "Copy"
    page.locator("pre > .it-copy").first.tap()
    page.locator(".it-copied").first.wait_for()
    assert "\n\n\n\n" not in read(page)


BELOW_A_BUTTON = """
(buttons) => buttons.flatMap((button) => {
  const box = button.getBoundingClientRect(), hidden = [];
  const texts = document.createTreeWalker(button.parentNode.querySelector("code"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    if (!texts.currentNode.data.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    for (const text of range.getClientRects()) {
      const beside = text.right <= box.left || text.left >= box.right;
      const apart = text.top >= box.bottom - 4 || text.bottom <= box.top + 4;
      if (!beside && !apart) hidden.push(texts.currentNode.data);
    }
  }
  return hidden;
})
"""


@pytest.mark.parametrize("width", [1440, 390])
def test_no_code_runs_below_a_button(visit, width):
    buttons = visit(ARTICLE, width).locator("pre > .it-copy")
    assert buttons.evaluate_all(BELOW_A_BUTTON) == []
    with spoiled(buttons.first, "(button) => button.style.right = '90%'"):
        assert buttons.evaluate_all(BELOW_A_BUTTON), "a button on the code is not seen"


def test_paper_has_no_button(page):
    page.emulate_media(media="print")
    assert page.locator(".it-copy").count() > 0
    assert not any(button.is_visible() for button in page.locator(".it-copy").all())
