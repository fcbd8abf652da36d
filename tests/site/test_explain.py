"""Paste your error: the page finds what the terminal finds, and leads there."""

from __future__ import annotations

from pathlib import Path

import yaml
from inside_torch.book.error_finder import entries, fitting
from inside_torch.book.whole_book import Book

ROOT = Path(__file__).parents[2]
TRACEBACKS = Path(__file__).parent.parent / "fixtures" / "tracebacks.yml"
ASK = """(texts) => {
  const box = document.querySelector("textarea.it-explain"), said = document.querySelector(".it-explained");
  return texts.map((text) => {
    box.value = text;
    box.dispatchEvent(new Event("input"));
    return [...said.querySelectorAll("li > a")].map((link) => link.getAttribute("href").slice(1));
  });
}"""


def test_the_page_finds_what_the_terminal_finds(tabs):
    known = entries(Book.load(ROOT))
    texts = [message for entry in known for message in entry.messages]
    texts += [pasted["text"] for pasted in yaml.safe_load(TRACEBACKS.read_text())]
    texts += ["", "no such message", '  File "a.py", line 2\n    view size is not compatible']
    texts += [
        '  File "a.py", line 2\nview size is not compatible',
        'File "<stdin>"\n**E: view size is not compatible',
    ]
    texts += [f"[rank0]: {line}" for line in texts[-2:]] + [
        'File "a.py"\nRuntimeError: view size is not compatible'
    ]
    page = tabs().open("en/errors/")
    found = page.evaluate(ASK, texts)
    assert found == [[fit.entry.anchor for fit in fitting(known, text)] for text in texts]


def test_a_traceback_leads_to_its_entry_and_is_told_to_nobody(tabs):
    page = tabs(width=390, scheme="dark").open("zh/errors/")
    told: list[str] = []
    page.on("request", lambda request: told.append(f"{request.method} {request.url} {request.post_data}"))
    box = page.get_by_role("textbox", name="把报错粘贴到这里")
    box.fill("RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)")
    first = page.locator(".it-explained li").first
    assert "in_features" in first.inner_text()
    first.get_by_role("link").first.click()
    page.wait_for_url("**/errors/#mat1-mat2")
    assert not [request for request in told if not request.startswith("GET ") or "shapes" in request]
    box.fill("no such message")
    assert "没有匹配的条目" in page.locator(".it-explained").inner_text()
