"""The tasks and the older claims: each row of their pages has an id, and is a section of the search."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from inside_torch.book.rules.links import FINDING

#: The pages, by the address that the search knows them by.
PLACES = tuple(place.removesuffix(".md") + "/" for place in FINDING)
_ROW = re.compile(r"<tr>(\s*<td[^>]*>(.*?)</td>(.*?))</tr>", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_PARAGRAPH = re.compile(r"<p>.*?</p>", re.DOTALL)


@dataclass(frozen=True)
class Task:
    """A row of a table: what a reader has in mind, and where the book tells of it; both as HTML."""

    id: str
    said: str
    told: str

    def section(self, place: str) -> dict[str, str]:
        """The row as the search keeps a section."""
        told = "".join(f"<p>{cell}</p>" for cell in re.findall(r"<td[^>]*>(.*?)</td>", self.told, re.DOTALL))
        return {"location": f"{place}#{self.id}", "title": self.said, "text": told}


def with_ids(content: str) -> tuple[str, list[Task]]:
    """The HTML of a page whose rows have ids, made of the words of their first cell, and the rows."""
    rows: list[Task] = []

    def named(row: re.Match[str]) -> str:
        words = html.unescape(_TAG.sub("", row[2])).lower()
        made = re.sub(r"\W+", "-", words).strip("-")
        again = sum(one.id == made or one.id.startswith(f"{made}--") for one in rows)
        rows.append(Task(f"{made}--{again}" if again else made, row[2], row[3]))
        return f'<tr id="{rows[-1].id}">{row[1]}</tr>'

    return _ROW.sub(named, content), rows


def sections(docs: list[dict[str, str]], rows: dict[str, list[Task]]) -> list[dict[str, str]]:
    """What the search knows, with the rows of each address; a page of rows keeps its paragraphs alone."""
    found = []
    for doc in docs:
        place = doc["location"]
        if place not in rows:
            found.append(doc)
            continue
        found.append(doc | {"text": "".join(_PARAGRAPH.findall(doc["text"]))})
        found += [row.section(place) for row in rows[place]]
    return found
