"""The modules and articles that the book will have, and the routes through them: ``docs/curriculum.yml``."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inside_torch import yaml_file
from inside_torch.errors import BookError, nearest

FILE = Path("docs", "curriculum.yml")


class _Part(BaseModel):
    """A mapping of the file; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Text(_Part):
    """A text in each language of the book."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)

    def of(self, language: str) -> str:
        """The text in a language, by its code."""
        return getattr(self, language)


class Entry(_Part):
    """An article, written or not."""

    title: Text
    question: Text


class Module(_Part):
    """A module; ``articles`` by the last part of their slugs, in order."""

    title: Text
    articles: dict[str, Entry]


class Branch(_Part):
    """One way through a route; each of ``steps`` is a module or the slug of an article."""

    title: Text | None = None
    steps: list[str] = Field(min_length=1)


class Route(_Part):
    """A reading route; ``needs`` are modules that it takes as read."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)

    title: Text
    reader: Text = Field(alias="for")
    needs: list[str] = []
    branches: list[Branch] = Field(min_length=1)


class Curriculum(_Part):
    """The whole file."""

    modules: dict[str, Module]
    routes: dict[str, Route]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """Every article by its slug, ``module/article``, in order."""
        return {
            f"{module}/{name}": entry
            for module, part in self.modules.items()
            for name, entry in part.articles.items()
        }

    def articles(self, step: str) -> list[str]:
        """The slugs of a module's articles, or of the one article that the step names."""
        return [slug for slug in self.entries if slug == step or slug.startswith(f"{step}/")]

    def path(self, branch: Branch) -> list[str]:
        """The slugs of a branch's articles, in reading order."""
        return [slug for step in branch.steps for slug in self.articles(step)]

    def unknown(self) -> Iterator[tuple[str, str, str]]:
        """(route, step, nearest) for each step and need that is neither a module nor an article."""
        known = [*self.modules, *self.entries]
        for name, route in self.routes.items():
            for step in [*route.needs, *(step for branch in route.branches for step in branch.steps)]:
                if step not in known:
                    yield name, step, nearest(step, known)


def load(root: Path) -> Curriculum:
    """The curriculum of a book; raises :class:`BookError` with the line where it is not one."""
    file = root / FILE
    with yaml_file.reading("curriculum", FILE, "modules and routes"):
        return _curriculum(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=4)  # a build asks again and again
def _curriculum(text: str) -> Curriculum:
    data = yaml_file.value(text)
    try:
        curriculum = Curriculum.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        keys = [part for part in first["loc"] if isinstance(part, str)]
        keys = keys[:-1] if first["type"] == "missing" else keys  # what is missing stands on no line
        raise BookError(
            "curriculum",
            f"{place or 'the file'}: {first['msg'].lower()}",
            "modules with titles and articles, routes with branches of steps",
            file=FILE,
            line=line_of(text, keys),
        ) from None
    for route, step, close in curriculum.unknown():
        raise BookError(
            "curriculum",
            f"the route {route} has the step `{step}`",
            "a module or the slug of an article",
            close,
            FILE,
            line_of(text, ["routes", route, step]),
        )
    return curriculum


def line_of(text: str, keys: list[str]) -> int | None:
    """The line (1-based) of the last of ``keys`` that is found, each looked for below the one before."""
    lines, found = text.split("\n"), None
    start = 0
    for key in keys:
        below = next((n for n in range(start, len(lines)) if key in lines[n].partition("#")[0]), None)
        if below is None:
            break
        start = found = below
    return found + 1 if found is not None else 1
