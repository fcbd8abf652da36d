"""The benchmark compares like with like, and says when a target is missed."""

from __future__ import annotations

from pathlib import Path

from inside_torch.bench.benchmark import write_plain_pages
from inside_torch.bench.figures import Figure, page_of
from inside_torch.book.fence_kinds import KINDS
from inside_torch.book.fences import scan

ROOT = Path(__file__).parent.parent.parent


def test_a_missed_target_shows_in_the_table():
    kept, missed = Figure("one", 1.0, "s", 1), Figure("two", 1.01, "s", 1)
    assert kept.kept and not missed.kept
    page = page_of([kept, missed], "commit abc")
    assert "| one | 1.00 s | at most 1 s |  |" in page
    assert "| two | 1.01 s | at most 1 s | missed |" in page


def test_plain_pages_hold_the_same_text_and_nothing_of_ours(tmp_path):
    out = tmp_path / "pages"
    write_plain_pages(ROOT, out)
    pages = sorted(out.glob("module-*/*.md"))
    assert pages
    for page in pages:
        text = page.read_text("utf-8")
        assert "](src:" not in text and "](<src:" not in text
        assert not [fence.language for fence in scan(text) if fence.language in KINDS]
        original = (ROOT / "docs/en" / page.relative_to(out)).read_text("utf-8")
        assert len(text) >= 0.8 * len(original)
