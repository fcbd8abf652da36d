"""The verbs that hold the book together: check, translated."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from inside_torch.cli import ROOT
from inside_torch.errors import BookError, counted
from inside_torch.pins.lock import PinLock

if TYPE_CHECKING:
    from collections.abc import Callable

    from inside_torch.book.page import Page
    from inside_torch.book.whole_book import Book

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
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Leave out a rule, by its name; may be repeated.")
    ] = None,
    unproven: Annotated[
        bool,
        typer.Option(
            "--open", help="List instead the universal and causal sentences with no proof beside them."
        ),
    ] = False,
) -> None:
    """Prove the pages without running anything: rules, pins, drawings.

    Structure, links, fences, numbers, snippets and translations are held against the rules of the article
    format, every pin against the installed release, and every page is drawn once. Ends with status 1 where
    anything is wrong.

    Examples:

      inside-torch check

      inside-torch check docs/en/module-02-autograd/saved-tensors.md

      inside-torch check docs/zh --format github

      inside-torch check --open docs/en/module-02-autograd/saved-tensors.md
    """
    from inside_torch.book.language import ENGLISH
    from inside_torch.book.whole_book import Book
    from inside_torch.site.faults import proven

    for path in paths or []:
        if not path.exists():
            raise BookError("no-such-file", f"no file or folder {path}", "a page, or a folder of pages")
    book = Book.load(ROOT)
    if unproven:
        _list_open(book, paths or [])
        return
    wanted = [Path(os.path.abspath(path)) for path in paths or []]

    def named(file: Path) -> bool:
        return any((ROOT / file).is_relative_to(path) for path in wanted)

    found = proven(book, _drawing(wanted))
    errors = [error for error in found if error.rule not in (without or ())]
    behind: list[BookError] = []
    if wanted:
        everything = errors
        errors = [error for error in everything if error.file is not None and named(Path(error.file))]
        # An edit of an English page is what makes its translation fall behind.
        originals = {page.path: book.page(ENGLISH, page.place) for page in book.pages.values()}
        behind = [
            error
            for error in everything
            if error.rule == "translation-behind"
            and error not in errors
            and (original := originals.get(Path(error.file or "")))
            and named(original.path)
        ]
    for error in errors:
        if form is Format.github:
            out.print(annotation(error), markup=False)
        else:
            out.print(str(error), markup=False)
    for error in behind:
        out.print(f"the translation of this page has fallen behind:\n{error}", style="yellow", markup=False)
    articles = len(book.articles)
    translated = sum(page.is_article and not page.is_english for page in book.pages.values())
    summary = (
        f"{counted(len(book.pages), 'page')}, {counted(articles, 'article')}, {translated} of them translated"
    )
    if errors:
        out.print(f"[red]{counted(len(errors), 'error')}[/red] in {summary}")
        raise typer.Exit(1)
    out.print(f"[green]no errors[/green] in {summary}; no code was run (`record --check` does that)")


def _drawing(wanted: list[Path]) -> Callable[[Page], bool]:
    """Whether a page is drawn where the errors of these files and folders are asked for; all, for none.

    Of snippets, their module's or article's own pages are, and those that name it.
    """
    folders: list[str] = []
    for path in wanted:
        if path.is_relative_to(ROOT / "snippets"):
            folders.append(Path(*path.relative_to(ROOT / "snippets").parts[:2]).with_suffix("").as_posix())
    pages = [path for path in wanted if path.is_relative_to(ROOT / "docs")]
    if not wanted or len(pages) + len(folders) < len(wanted) or "." in folders:
        return lambda page: True  # what else is named is drawn on pages that this does not know

    def draws(page: Page) -> bool:
        own = any(page.file.is_relative_to(path) for path in pages)
        return own or any(page.place.startswith(folder) or folder in page.text for folder in folders)

    return draws


def _list_open(book: Book, paths: list[Path]) -> None:
    """Print the open sentences of these articles, or of all, and how many each has."""
    from inside_torch.book.open_sentences import open_sentences

    wanted = [Path(os.path.abspath(path)) for path in paths]
    total: list[int] = []
    for page in book.articles:
        if page.errors or (wanted and not any(page.file.is_relative_to(path) for path in wanted)):
            continue
        found = open_sentences(page)
        for one in found:
            reason = f" (open: {one.reason})" if one.reason else ""
            out.print(f"{page.path}:{one.line}: [{one.word}] {one.text}{reason}", markup=False)
        excused = sum(bool(one.reason) for one in found)
        total += [len(found) - excused, excused]
        out.print(
            f"{page.path}: {len(found) - excused} open, {excused} with a reason", style="bold", markup=False
        )
    out.print(f"{sum(total[::2])} open, {sum(total[1::2])} with a reason", style="bold")


def annotation(error: BookError) -> str:
    """The error as a command of GitHub's workflow log."""
    details = [error.found]
    details += [f"expected: {error.expected}"] if error.expected else []
    details += [f"nearest: {error.nearest}"] if error.nearest else []
    message = "\n".join(details).replace("%", "%25").replace("\n", "%0A")
    place = f"file={error.file}" + (f",line={error.line}" if error.line else "") if error.file else ""
    return f"::error {place}{',' if place else ''}title={error.rule}::{message}"


def statements(
    pages: Annotated[list[Path] | None, typer.Argument(help="Articles; all where none is named.")] = None,
    read: Annotated[
        str,
        typer.Option(
            help="Numbers (`2,5-7`) or `all`: these I have read beside their proofs, and they say it."
        ),
    ] = "",
    whole: Annotated[
        bool, typer.Option("--whole", help="Print those too that are as they were read.")
    ] = False,
) -> None:
    """Print the statements of a Summary beside what their proofs say, and note which have been read so.

    Only those are printed that nobody has read, or whose words or proofs have changed since.

    Examples:

      inside-torch statements docs/en/module-02-autograd/saved-tensors.md

      inside-torch statements docs/en/module-02-autograd/saved-tensors.md --read 3,5-7
    """
    from inside_torch.book import statements as book_statements
    from inside_torch.book.whole_book import Book

    book = Book.load(ROOT)
    wanted = [Path(os.path.abspath(page)) for page in pages or []]
    articles = [page for page in book.articles if not wanted or page.file in wanted]
    if len(articles) < len(wanted) or (read and len(wanted) != 1):
        raise BookError(
            "statements", "pages that are no articles" if wanted else "no page", "one English article"
        )
    pins = book_statements.locked_digests(ROOT)
    texts = PinLock.load(ROOT)
    for page in articles:
        present = book_statements.statements(page, pins)
        readings = book_statements.tied(ROOT, page.slug)
        chosen = numbers(read, len(present), "statements")
        if read:
            book_statements.tie(ROOT, page.slug, present, [present[number - 1] for number in chosen])
            out.print(f"{page.path}: {counted(len(chosen), 'statement')} noted as read", markup=False)
            continue
        unread = 0
        for number, statement in enumerate(present, start=1):
            wrong = book_statements.faults(statement, readings)
            unread += bool(wrong)
            if not wrong and not whole:
                continue
            out.print(f"\n{page.path}:{statement.line}", style="dim", markup=False)
            out.print(f"{number}. {statement.words}", style="bold", markup=False)
            for fault in wrong:
                out.print(f"   ({fault})", style="yellow", markup=False)
            for target, said in statement.proofs.items():
                out.print(f"   {target}", style="cyan", markup=False)
                text = _quoted(texts, said) if said.startswith("src:") else said
                out.print("".join(f"   | {line}\n" for line in text.splitlines()), end="", markup=False)
        out.print(f"{page.path}: {unread} of {counted(len(present), 'statement')} unread", markup=False)


def numbers(chosen: str, count: int, rule: str) -> list[int]:
    """The numbers that `2,5-7` or `all` means, of so many; raises :class:`BookError`."""
    if chosen == "all":
        return list(range(1, count + 1))
    found: list[int] = []
    for part in filter(None, chosen.split(",")):
        first, _, last = part.strip().partition("-")
        if not (
            first.isdigit() and (last or first).isdigit() and 1 <= int(first) <= int(last or first) <= count
        ):
            raise BookError(rule, f"--read {chosen}", f"numbers from 1 to {count}, or `all`")
        found += range(int(first), int(last or first) + 1)
    return found


def _quoted(lock: PinLock, said: str) -> str:
    """What an excerpt says, with the lines themselves in the place of their digest."""
    address, _, rest = said.split("\n", 2)
    excerpt = lock.excerpt(address)
    lines = (
        [f"{number}  {line}" for number, line in enumerate(excerpt.lines, excerpt.first)] if excerpt else []
    )
    return "\n".join([address, *lines, rest])


def translated(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Pages below docs/zh/ that say what the English says now.")
    ] = None,
    behind: Annotated[
        bool, typer.Option("--behind", help="Note instead, in every page of an older version, that it is.")
    ] = False,
) -> None:
    """Note in a translation which version of the English page it was made from.

    Writes `translated_from` into its front matter and takes `behind` out; --behind writes `behind: true`.

    Examples:

      inside-torch translated docs/zh/module-02-autograd/running-backward.md

      inside-torch translated --behind
    """
    from inside_torch.book.language import mark_behind, mark_translated

    if behind == bool(files):
        raise BookError("translation", "pages and --behind" if files else "no page", "pages, or --behind")
    if behind:
        for file in mark_behind(ROOT):
            out.print(f"{file.relative_to(ROOT)}: behind", markup=False)
    for file in files or []:
        out.print(f"{file}: translated_from {mark_translated(ROOT, file)}")


def tour(
    article: Annotated[str, typer.Argument(help="module/article, or its file; `all` for every article.")],
    checkout: Annotated[
        Path | None, typer.Option("--checkout", help="Write it into .tours/ of this checkout of PyTorch.")
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Print file:line: text, for an editor's quickfix list.")
    ] = False,
) -> None:
    """Turn an article into a walk through a checkout of PyTorch: a CodeTour file, or a list of lines.

    Lines are those of the pinned commit; another checkout has them elsewhere.

    Examples:

      inside-torch tour module-02-autograd/running-backward --checkout ~/src/pytorch

      inside-torch tour module-02-autograd/running-backward --list > backward.lst; vim -q backward.lst
    """
    from inside_torch.book.whole_book import Book
    from inside_torch.files import write_whole
    from inside_torch.pins.lock import PinLock
    from inside_torch.render.tours import code_tour, listing, steps

    book, lock = Book.load(ROOT), PinLock.load(ROOT)
    titles = {page.slug: page.title for page in book.articles}
    slug = article.removeprefix("docs/en/").removesuffix(".md").removesuffix("/")
    if checkout is not None and not checkout.is_dir():
        raise BookError("tour-checkout", f"no folder {checkout}", "a checkout of PyTorch")
    for one in titles if slug == "all" else [slug]:
        stops = steps(book, one, lock)
        if checkout is not None:
            file = checkout / ".tours" / f"inside-torch-{one.replace('/', '-')}.tour"
            write_whole(file, code_tour(one, titles[one], stops))
            out.print(f"{file}: {counted(len(stops), 'stop')}", markup=False)
        else:
            text = listing(stops) if listed else code_tour(one, titles[one], stops)
            typer.echo(text, nl=False)


new = typer.Typer(
    help="Begin a module or an article: files in which all is right that is not still to be written.",
    no_args_is_help=True,
)


@new.command("module")
def new_module(
    slug: Annotated[str, typer.Argument(help="module-NN-name")],
    title: Annotated[str, typer.Option(help="What readers see.")],
    chinese: Annotated[
        str, typer.Option(help="The title in Chinese; English until somebody translates it.")
    ] = "",
) -> None:
    """Begin a module: its index, its place in the curriculum and in both navigations.

    Example:

      inside-torch new module module-12-random --title "Random numbers"
    """
    from inside_torch.book import skeleton

    _written(skeleton.new_module(ROOT, slug, title, chinese or title))


@new.command("article")
def new_article(
    slug: Annotated[str, typer.Argument(help="module/article")],
    title: Annotated[str, typer.Option(help="What readers see.")],
    question: Annotated[str, typer.Option(help="The one question that it answers.")],
) -> None:
    """Begin an article: a page with its eight sections, its place in the curriculum and in both navigations.

    `inside-torch check` then names each section that is still to be written, and what belongs into it.

    Example:

      inside-torch new article module-12-random/seeds --title Seeds --question "What does a seed fix?"
    """
    from inside_torch.book import skeleton

    _written(skeleton.new_article(ROOT, slug, title, question, (title, question)))


def _written(files: dict[Path, str]) -> None:
    for path in files:
        out.print(f"written: {path}", markup=False)
    out.print("`inside-torch check` says what is still to be written.", style="dim")


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    app.command()(check)
    app.command()(translated)
    app.command()(statements)
    app.command()(tour)
    app.add_typer(new, name="new")
