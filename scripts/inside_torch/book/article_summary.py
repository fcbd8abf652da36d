"""What a reader is told of an article before it is read: its title, its question, how long it takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from inside_torch.book.curriculum import load
from inside_torch.book.language import CHINESE, ENGLISH, split_front


@dataclass(frozen=True)
class ArticleSummary:
    """A written article in one language; ``minutes`` are those of its front matter."""

    title: str
    question: str
    minutes: int


def article_summaries(root: Path, language: str) -> dict[str, ArticleSummary]:
    """The written articles of the curriculum by slug, in its order; English where there is no translation."""
    found = {}
    for slug in load(root).entries:
        original = _front(root / ENGLISH.docs / f"{slug}.md")
        if not {"title", "question", "minutes"} <= original.keys():
            continue  # not written, or its page says what is wrong with it
        own = _front(root / CHINESE.docs / f"{slug}.md") if language == CHINESE.code else {}
        told = original | own
        found[slug] = ArticleSummary(str(told["title"]), str(told["question"]), int(original["minutes"]))
    return found


def _front(file: Path) -> dict[str, Any]:
    """The front matter of a page, empty where there is none that can be read."""
    try:
        front, _ = split_front(file.read_text(encoding="utf-8"))
        data = yaml.safe_load(front) if front else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    return data if isinstance(data, dict) else {}
