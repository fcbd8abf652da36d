"""The one release of PyTorch that the book explains."""

from __future__ import annotations

RELEASE = "2.13.0"
#: ``git_version`` of each of its wheels.
COMMIT = "cf30153c4c131c8164ee7798e5022d810682e2cb"
REPOSITORY = "https://github.com/pytorch/pytorch"


def permalink(path: str, first: int | None = None, last: int | None = None) -> str:
    """The address on GitHub of lines ``first`` to ``last`` (1-based, inclusive) of a repository file."""
    link = f"{REPOSITORY}/blob/{COMMIT}/{path}"
    if first is None:
        return link
    return f"{link}#L{first}" if last in (None, first) else f"{link}#L{first}-L{last}"
