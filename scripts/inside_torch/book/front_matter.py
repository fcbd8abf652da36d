"""The front matter of a page: its schema, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from inside_torch import yaml_file
from inside_torch.book.language import split_front
from inside_torch.errors import BookError, nearest


class Front(BaseModel):
    """Front matter; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PageFront(Front):
    """Of a page that is no article: an index, the landing page, a contributor's page."""

    title: str | None = Field(None, min_length=1)
    description: str | None = None
    template: str | None = None
    hide: list[Literal["navigation", "toc", "path", "footer", "feedback", "tags"]] = []
    search: dict[str, bool | float] = {}
    names: dict[str, str] = {}  # as of an article


class ArticleFront(Front):
    """Of an article in English."""

    title: str = Field(min_length=1)
    question: str = Field(min_length=1)
    requires: list[str]
    minutes: int = Field(gt=0)
    hardware: Literal["cpu", "cuda"]
    names: dict[str, str] = {}  # in code type that are not the release's, with what they are


class TranslatedFront(Front):
    """What every translation says about its original."""

    translated_from: str = Field(pattern=r"^[0-9a-f]{16}$")
    behind: bool = False


class ArticleTranslationFront(TranslatedFront):
    """Of an article in another language; what is not said here is said by the English page."""

    title: str = Field(min_length=1)
    question: str = Field(min_length=1)


class PageTranslationFront(PageFront, TranslatedFront):
    """Of any other page in another language."""


@dataclass
class FrontMatter:
    """The front matter of one page as it is written, right or wrong."""

    file: Path
    data: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)  # of each field
    parsed: Front | None = None  # where it is right
    errors: list[BookError] = field(default_factory=list)

    @classmethod
    def read(cls, text: str, schema: type[Front], file: Path) -> FrontMatter:
        """Hold the text between the two ``---`` against a schema."""
        front = cls(file)
        try:
            with yaml_file.reading("front-matter", file, above=1):
                node, data = yaml_file.node(text), yaml_file.value(text) or {}
        except BookError as error:
            front.errors.append(error)
            return front
        front.data = data if isinstance(data, dict) else {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if key.value in front.lines:
                front._refuse(f"the field `{key.value}` twice", "once", key.start_mark.line + 2)
            front.lines[str(key.value)] = key.start_mark.line + 2
        try:
            front.parsed = schema.model_validate(data)
        except ValidationError as invalid:
            for wrong in invalid.errors():
                front._explain(wrong, schema)
        return front

    def _explain(self, wrong: ErrorDetails, schema: type[Front]) -> None:
        """One error of the schema as an error of the book."""
        name = str(wrong["loc"][0]) if wrong["loc"] else ""
        line = self.lines.get(name, 1)
        fields = ", ".join(schema.model_fields)
        if wrong["type"] == "extra_forbidden":
            self._refuse(f"the field `{name}`", f"one of {fields}", line, nearest(name, schema.model_fields))
        elif wrong["type"] == "missing":
            self._refuse(f"no field `{name}`", f"the fields {fields}", line)
        else:
            self._refuse(f"`{name}: {wrong['input']}`" if name else str(wrong["input"]), wrong["msg"], line)

    def _refuse(self, found: str, expected: str, line: int, near: str = "") -> None:
        self.errors.append(BookError("front-matter", found, expected, near, self.file, line))


def front_and_body(text: str) -> tuple[dict[str, Any], str]:
    """The fields of a page, none where they cannot be read, which a rule tells of; and its body."""
    front, body = split_front(text)
    try:
        data = yaml_file.value(front)
    except yaml.YAMLError:
        data = None
    return data if isinstance(data, dict) else {}, body
