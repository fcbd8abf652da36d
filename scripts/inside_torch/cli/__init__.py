"""The program ``inside-torch``: one verb a file group, nothing but arguments and printing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import typer
from rich.console import Console

from inside_torch.errors import BookError

#: The book that the verbs work on, unless one is told otherwise.
ROOT = Path(__file__).resolve().parents[3]

app = typer.Typer(
    name="inside-torch",
    help="Prove, draw and run the pages of Inside Torch.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

# Each module registers its verbs on the app with a function ``register(app)``.
for group in ("pins", "op", "book", "run", "site", "releases", "bench"):
    importlib.import_module(f"inside_torch.cli.{group}").register(app)


def main() -> None:
    """Run the program; a :class:`BookError` is printed as it is, with exit status 1."""
    try:
        app()
    except BookError as error:
        Console(stderr=True, soft_wrap=True).print(str(error), style="red", markup=False, highlight=False)
        sys.exit(1)
