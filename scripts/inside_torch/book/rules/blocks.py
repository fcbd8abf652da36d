"""Every fence is executed, drawn or excused."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inside_torch.book.fence_kinds import KINDS, ExcusedFence, OutputFence, ProbeFence
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest


@rule("fence-unproven")
def unproven(book: Book) -> Iterator[BookError]:
    """Every fence is executed, drawn from a proven source, or excused."""
    for page in book.sound:
        for block in page.of(ExcusedFence):
            if block.excuse is None:
                language = block.language
                known = ["python", "mermaid", *KINDS]
                what = f"a `{language}` fence" if language else "a fence of no language"
                yield page.fault(
                    "fence-unproven",
                    block.line,
                    f"{what} that nothing proves",
                    'an excuse: {excuse="the reason"}',
                    nearest(language, known, cutoff=0.75),
                )


@rule("excuse-reason")
def excuse_reasons(book: Book) -> Iterator[BookError]:
    """An excuse, and a `why`, gives its reason in at least three words."""
    for page in book.sound:
        for block in page.blocks:
            reason = block.excuse if isinstance(block, ExcusedFence) else None
            if isinstance(block, ProbeFence | OutputFence):
                reason = block.why
            if reason is not None and not _is_reason(reason):
                yield page.fault(
                    "excuse-reason", block.line, f"the reason `{reason}`", "a reason of at least three words"
                )


def _is_reason(text: str) -> bool:
    """Whether it has three words, or as many in Chinese, which sets no blanks between them."""
    words = re.findall(r"[^\W\d_]+|[\u4e00-\u9fff]{2}", text)
    return len(words) >= 3 or len(re.findall(r"[\u4e00-\u9fff]", text)) >= 4
