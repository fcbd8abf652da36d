"""What people have read: each article held against the source by somebody who did not write it.

``docs/readings.yml`` is a list of readings; *Contributing* has the protocol. What no test can see, a cause or
a word that speaks too widely, has only this.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from inside_torch import yaml_file
from inside_torch.book.curriculum import line_of
from inside_torch.errors import BookError

FILE = Path("docs", "readings.yml")


class _Part(BaseModel):
    """A mapping of the file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Found(_Part):
    """What a reading found in one article; ``statements`` where they were counted for it alone."""

    serious: int = Field(ge=0)  # a reader would believe something false of how PyTorch works
    minor: int = Field(ge=0)
    digest: str = Field(pattern=r"^[0-9a-f]{16}$")  # sha256 of the English page that was read
    statements: int | None = Field(None, gt=0)


class Reading(_Part):
    """One reading, of one article or of several by the same reader."""

    date: date
    protocol: str = Field(min_length=1)
    statements: int = Field(gt=0)  # that were checked, in all of its articles; as the reader counted them
    articles: dict[str, Found] = Field(min_length=1)


def load(root: Path) -> list[Reading]:
    """The readings in the order of the file, none where there is no file; raises :class:`BookError`."""
    file = root / FILE
    if not file.is_file():
        return []
    with yaml_file.reading("readings", FILE, "a list of readings"):
        return list(_readings(file.read_text(encoding="utf-8")))


@lru_cache(maxsize=4)  # a build asks again and again
def _readings(text: str) -> list[Reading]:
    data = yaml_file.value(text)
    try:
        return TypeAdapter(list[Reading]).validate_python(data or [])
    except ValidationError as error:
        first = error.errors()[0]
        keys = [part for part in first["loc"] if isinstance(part, str)]
        raise BookError(
            "readings",
            f"{'.'.join(str(part) for part in first['loc']) or 'the file'}: {first['msg'].lower()}",
            "date, protocol, statements, and articles with serious, minor and digest",
            file=FILE,
            line=line_of(text, keys[:-1] if first["type"] == "missing" else keys),
        ) from None


def of_article(readings: list[Reading], slug: str) -> Iterator[tuple[Reading, Found]]:
    """The readings of an article, the latest first; of one day, in the file the last."""
    for reading in reversed(sorted(readings, key=lambda reading: reading.date)):
        if slug in reading.articles:
            yield reading, reading.articles[slug]


def is_settled(readings: list[Reading], slug: str) -> bool:
    """Whether the last two readings of an article found nothing serious."""
    last = [found.serious for _, found in of_article(readings, slug)][:2]
    return len(last) == 2 and not any(last)
