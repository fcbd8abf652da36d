"""What all that draws takes: the book, the language, the sources, and the page that is being drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from inside_torch.book.whole_book import Book
from inside_torch.render.drawn_page import DrawnPage
from inside_torch.render.elements import stashed
from inside_torch.render.labels import Labels
from inside_torch.render.pin_index import PinIndex


@dataclass
class Canvas:
    """One for each converter; ``page`` is another for each page that it converts."""

    root: Path
    labels: Labels
    md: Markdown = field(default_factory=Markdown)
    page: DrawnPage = field(default_factory=DrawnPage)
    repository: str = ""  # of the book, on the web
    notice_page: str = ""  # of PyTorch's licence, from the documents' folder on

    def __post_init__(self) -> None:
        self.sources = PinIndex(self.root)
        self._book: tuple[DrawnPage, Book] | None = None

    @property
    def book(self) -> Book:
        """The whole book, as it was when this page was begun; only what has changed is parsed again."""
        if self._book is None or self._book[0] is not self.page:
            self._book = self.page, Book.load(self.root)
        return self._book[1]

    @property
    def notice(self) -> str | None:
        """The notice page as seen from this page; None where there is none."""
        page, top = self.notice_page, self.page.top
        return "../" * self.page.depth + page if page and top and (top / page).is_file() else None

    def file_link(self, file: Path) -> str | None:
        """Where a file of the repository can be read on the web; None where no repository is named."""
        repository = self.repository.rstrip("/")
        return f"{repository}/blob/main/{file.relative_to(self.root).as_posix()}" if repository else None

    def stash(self, html: str) -> str:
        return stashed(self.md, html)


class CanvasProcessor(Treeprocessor):
    """What changes the tree of a page and knows its canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.md)
        self.canvas = canvas
