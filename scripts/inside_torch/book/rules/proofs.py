"""What proves a statement says something: it prints, asserts or raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inside_torch.book.fence_kinds import Block, OutputFence, ProbeFence
from inside_torch.book.recording import Program
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


@rule("silent-proof")
def silent_proofs(book: Book) -> Iterator[BookError]:
    """A probe or an output that a Summary links to prints, asserts or raises something."""
    for page in book.articles:
        if page.errors:
            continue
        first, end = page.section("summary")
        blocks = {block.id: block for block in reversed(page.blocks) if block.id}
        for link in page.links:
            block = blocks.get(link.target.removeprefix("#")) if link.target.startswith("#") else None
            if block is None or not first <= link.line < end or _says_something(book, block):
                continue
            yield page.fault(
                "silent-proof",
                link.line,
                f"the proof {link.target} prints, asserts and raises nothing",
                "a line that prints, or an `assert`, of what is stated",
            )


def _says_something(book: Book, block: Block) -> bool:
    if isinstance(block, OutputFence):
        try:
            output = Program.find(book.root, block.subject).output
        except BookError:
            return True  # the rule `no-such-program` speaks of it
        return not output.is_file() or bool(output.read_text(encoding="utf-8").strip())
    if not isinstance(block, ProbeFence) or block.raises:
        return True
    if re.search(r"^[ \t]*#> *\S", block.fence.body, re.MULTILINE):
        return True
    try:
        nodes = list(ast.walk(ast.parse(block.fence.body)))
    except SyntaxError:
        return True  # running it says so
    return any(_asserts(node) for node in nodes)


def _asserts(node: ast.AST) -> bool:
    """Whether a node asserts something that could be otherwise."""
    if isinstance(node, ast.Assert):
        return not isinstance(node.test, ast.Constant)
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name.startswith("assert") or name in ("gradcheck", "gradgradcheck")
