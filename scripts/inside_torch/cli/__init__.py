"""The program ``inside-torch``: one verb a file group, nothing but arguments and printing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.errors import BookError

#: The book that the verbs work on, unless one is told otherwise.
ROOT = Path(__file__).resolve().parents[3]


def _book(root: Path) -> Path:
    """The folder, if a book is in it; raises :class:`BookError`."""
    if not (root / "docs").is_dir():
        raise BookError("no-book", f"no book in {root}", "its repository, a folder with docs/ in it")
    return root


#: The option of the verbs that can be told another book; its default is :data:`ROOT`.
RootOption = Annotated[
    Path,
    typer.Option(
        "--root",
        metavar="DIR",
        help="The book's repository.",
        show_default="that of this program",
        callback=_book,
    ),
]

app = typer.Typer(
    name="inside-torch",
    help="Prove, draw and run the pages of Inside Torch.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Each module registers its verbs on the app with a function ``register(app)``.
for group in ("pins", "op", "explain", "dry", "book", "run", "count", "site", "releases", "bench"):
    importlib.import_module(f"inside_torch.cli.{group}").register(app)


def main() -> None:
    """Run the program; a :class:`BookError` is printed as it is, with exit status 1."""
    try:
        app(prog_name="inside-torch")
    except BookError as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False, highlight=False)
        sys.exit(1)
