"""Reads the book for the tests that are parametrised over it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest
from inside_torch.book.page import Page
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

ROOT = Path(__file__).resolve().parents[2]


@cache
def book() -> Book:
    return Book.load(ROOT)


def cases(of_page: Callable[[Page], Iterable], name: Callable[[object], str]) -> list:
    """Parameters for what each page of the book holds; a page that cannot be read is one that fails."""
    found: dict[str, object] = {}
    for page in book().pages.values():
        try:
            for one in of_page(page):
                found.setdefault(name(one), one)
        except BookError as error:
            found[f"{page.path}"] = error
    return [pytest.param(one, id=key) for key, one in found.items()]
