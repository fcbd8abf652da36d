"""The verbs that hold the book together: check, translated."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from inside_torch.errors import BookError

if TYPE_CHECKING:
    from markdown import Markdown

    from inside_torch.book.article import Book

ROOT = Path(__file__).resolve().parents[3]
out = Console(highlight=False, soft_wrap=True)


class Format(StrEnum):
    """How errors are printed."""

    text = "text"
    github = "github"  # annotations on the lines of a pull request


def check(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Report only the errors of these files and folders.")
    ] = None,
    form: Annotated[
        Format, typer.Option("--format", help="github: as annotations on a pull request.")
    ] = Format.text,
) -> None:
    """Prove the pages without running anything: rules, pins, drawings.

    Structure, links, fences, numbers, snippets and translations are held against the rules of the article
    format, every pin against the installed release, and every page is drawn once. Ends with status 1 where
    anything is wrong.

    Examples:

      inside-torch check

      inside-torch check docs/en/module-02-autograd/saved-tensors.md

      inside-torch check docs/zh --format github
    """
    from inside_torch.book.article import Book
    from inside_torch.book.check import check_book

    for path in paths or []:
        if not path.exists():
            raise BookError("no-such-file", f"no file or folder {path}", "a page, or a folder of pages")
    book = Book.load(ROOT)
    errors = check_book(book) + pinned()
    said = {(str(error.file), error.line) for error in errors}
    errors += [error for error in drawn(book) if (str(error.file), error.line) not in said]
    for error in errors:
        if (
            error.file is not None
            and Path(error.file).is_absolute()
            and Path(error.file).is_relative_to(ROOT)
        ):
            error.file = Path(error.file).relative_to(ROOT)
    errors.sort(key=lambda error: (str(error.file), error.line or 0))
    if paths:
        wanted = [Path(os.path.abspath(path)) for path in paths]
        errors = [
            error
            for error in errors
            if error.file is not None and any((ROOT / error.file).is_relative_to(path) for path in wanted)
        ]
    for error in errors:
        if form is Format.github:
            out.print(annotation(error), markup=False)
        else:
            out.print(str(error), markup=False)
    articles = len(book.articles)
    translated = sum(page.is_article and not page.is_english for page in book.pages.values())
    summary = f"{len(book.pages)} pages, {articles} articles, {translated} of them translated"
    if errors:
        out.print(f"[red]{len(errors)} errors[/red] in {summary}")
        raise typer.Exit(1)
    out.print(f"[green]no errors[/green] in {summary}")


def annotation(error: BookError) -> str:
    """The error as a command of GitHub's workflow log."""
    details = [error.found]
    details += [f"expected: {error.expected}"] if error.expected else []
    details += [f"nearest: {error.nearest}"] if error.nearest else []
    message = "\n".join(details).replace("%", "%25").replace("\n", "%0A")
    place = f"file={error.file}" + (f",line={error.line}" if error.line else "") if error.file else ""
    return f"::error {place}{',' if place else ''}title={error.rule}::{message}"


def pinned() -> list[BookError]:
    """What is wrong with the pins: unlocked, unused, not what the release holds."""
    from inside_torch.pins.collect import collect, places
    from inside_torch.pins.lock import PinLock, Sources
    from inside_torch.pins.verify import uses_against, verify

    try:
        used, wrong = places(collect(ROOT))
        lock = PinLock.load(ROOT)
        return wrong + uses_against(lock, used) + verify(lock, Sources.here())[0]
    except BookError as error:
        return [error]


def drawn(book: Book) -> list[BookError]:
    """What the site's own extensions cannot draw: every fence that fails, or the first link of a page."""
    from types import SimpleNamespace

    from markdown import Markdown
    from markdown.treeprocessors import Treeprocessor
    from mkdocs.config import load_config
    from mkdocs.exceptions import MkDocsException
    from mkdocs.utils.meta import get_data

    from inside_torch.book.language import LANGUAGES

    wrong: list[BookError] = []
    for language in LANGUAGES:
        try:
            config = load_config(str(ROOT / language.config), docs_dir=str(ROOT / language.docs))
        except MkDocsException as error:
            return [BookError("configuration", str(error) or "MkDocs cannot read it", file=language.config)]
        own = {"root": str(ROOT), "language": language.code}
        settings = config.mdx_configs | {
            "inside_torch.render": config.mdx_configs.get("inside_torch.render", {}) | own
        }
        md = Markdown(extensions=config.markdown_extensions, extension_configs=settings)
        place = Treeprocessor(md)
        md.treeprocessors.register(place, "relpath", 0)  # where MkDocs says which page is drawn
        for page in book.in_language(language):
            if page.errors:
                continue
            place.file = SimpleNamespace(abs_src_path=str(page.file), src_uri=page.place)
            text = get_data(page.file.read_text(encoding="utf-8"))[0]
            try:
                md.reset().convert(text)
            except BookError as error:
                wrong += [error.at(page.path) for error in undrawn(md, text) or [error]]
    return wrong


def undrawn(md: Markdown, text: str) -> list[BookError]:
    """The error of each fence that cannot be drawn; a conversion ends at the first."""
    from inside_torch.book.fences import parse_body, scan
    from inside_torch.render import diagrams
    from inside_torch.render.extension import DRAW, InsideTorch
    from inside_torch.render.page import Page

    extension = next(one for one in md.reset().registeredExtensions if isinstance(one, InsideTorch))
    extension.page = Page.of(md, text.split("\n"))
    wrong: list[BookError] = []
    for fence in scan(text):
        try:
            with extension.page.at(fence.line):
                if fence.language == "mermaid":
                    diagrams.draw(extension, fence)
                elif fence.language in DRAW:
                    DRAW[fence.language](extension, fence, parse_body(fence))
        except BookError as error:
            wrong.append(error)
    return wrong


def translated(
    files: Annotated[
        list[Path], typer.Argument(help="Pages below docs/zh/ that say what the English says now.")
    ],
) -> None:
    """Note in a translation which version of the English page it was made from.

    Writes `translated_from` into its front matter and takes `behind` out.

    Examples:

      inside-torch translated docs/zh/module-02-autograd/running-backward.md
    """
    from inside_torch.book.language import mark_translated

    for file in files:
        out.print(f"{file}: translated_from {mark_translated(ROOT, file)}")


def register(app: typer.Typer) -> None:
    app.command()(check)
    app.command()(translated)
