"""The steps of a compiled function agree with the compiled code and with the recorded paths."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.fence_kinds import ExcerptFence
from inside_torch.book.page import Page
from inside_torch.book.rules import rule
from inside_torch.book.steps import judge, pseudo, recorded
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.calls import CallsLock
from inside_torch.pins.lock import PinLock


def _stepped(book: Book) -> Iterator[tuple[Page, ExcerptFence]]:
    for page in book.sound:
        for block in page.of(ExcerptFence):
            if block.steps:
                yield page, block


@rule("pseudo")
def pseudo_code(book: Book) -> Iterator[BookError]:
    """The pseudo-code of an excerpt has the steps below it, each once and in order."""
    for page, block in _stepped(book):
        try:
            pseudo(block)
        except BookError as error:
            yield error.at(page.path)


def _judged(book: Book, *rules: str) -> Iterator[BookError]:
    """The errors of these rules among those of every function in steps whose address is locked."""
    pins, facts, paths = PinLock.load(book.root), CallsLock.load(book.root).facts, recorded(book.root)
    for page, block in _stepped(book):
        try:
            address = Address.parse(block.subject)
            judged = judge(block, pins.pin(address), facts.get(str(address)), paths)
        except BookError:  # rules of their own tell of the address, the lock, the pseudo-code
            continue
        yield from (error.at(page.path) for error in judged.errors if error.rule in rules)


@rule("steps-lock")
def in_calls_lock(book: Book) -> Iterator[BookError]:
    """Every callee that steps name was looked for in the compiled code."""
    yield from _judged(book, "steps-lock")


@rule("step-callee")
def callees(book: Book) -> Iterator[BookError]:
    """A callee that steps name is called by their function, or excused; one that is called is not excused."""
    yield from _judged(book, "step-callee")


@rule("step-order")
def order(book: Book) -> Iterator[BookError]:
    """Steps stand in the order of the code: of its assertions, its calls, the recorded calls."""
    yield from _judged(book, "step-order")
