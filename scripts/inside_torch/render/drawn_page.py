"""Where the fence or link that is being drawn stands, for the errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from markdown import Markdown

from inside_torch.book.language import split_front
from inside_torch.errors import BookError


def _blank(lines: list[str]) -> int:
    """How many lines are blank before the first that is not."""
    return next((number for number, line in enumerate(lines) if line.strip()), 0)


@dataclass
class DrawnPage:
    """The page that is being converted."""

    file: Path | None = None
    depth: int = 0  # how many folders below the top of the documents
    offset: int = 0  # lines of front matter that Markdown does not see
    lines: list[str] | None = None

    @classmethod
    def of(cls, md: Markdown, lines: list[str]) -> DrawnPage:
        """What can be known of the page: MkDocs leaves its file on the tree processor of relative links."""
        file = getattr(md.treeprocessors["relpath"], "file", None) if "relpath" in md.treeprocessors else None
        if file is None or not getattr(file, "abs_src_path", None):
            return cls(lines=lines)
        path = Path(file.abs_src_path)
        whole = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
        offset = whole.count("\n") - split_front(whole)[1].count("\n")
        # The blank lines below the front matter may be gone too.
        offset += _blank(whole.split("\n")[offset:]) - _blank(lines)
        return cls(path, file.src_uri.count("/"), offset, lines)

    @property
    def top(self) -> Path | None:
        """The documents' folder."""
        return self.file.parents[self.depth] if self.file else None

    def line_of(self, text: str) -> int | None:
        """The first line of the page that holds a text, 1-based, in the file."""
        for number, line in enumerate(self.lines or (), 1):
            if text in line:
                return number + self.offset
        return None

    @contextmanager
    def at(self, line: int | None = None, text: str | None = None) -> Iterator[None]:
        """Give the errors of what is done inside the page's name and a line: given, or that of a text."""
        try:
            yield
        except BookError as error:
            # An error's own line is one of this page's unless it names another file.
            if error.line is not None and error.file is None:
                error.line += self.offset
            elif error.file is None and line is not None:
                error.line = line + self.offset
            elif error.file is None and text is not None:
                error.line = self.line_of(text)
            raise error.at(self.file) from None
