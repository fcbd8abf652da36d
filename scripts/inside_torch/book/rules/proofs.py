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


@rule("silent-print")
def silent_prints(book: Book) -> Iterator[BookError]:
    """A ``print`` of a probe, outside functions, has printed something: it was reached."""
    for page in book.pages.values():
        for block in page.blocks if not page.errors else ():
            if not isinstance(block, ProbeFence):
                continue
            lines = block.fence.body.splitlines()
            for node in _outside_functions(block.fence.body):
                below = "".join(lines[node.end_lineno :][:1]).lstrip()
                if _prints(node) and not below.startswith("#>"):
                    yield page.fault(
                        "silent-print",
                        block.fence.body_line + node.lineno - 1,
                        f"no output below `{lines[node.lineno - 1].strip()}`: it was not reached",
                        "`#>` lines, which `inside-torch record` writes, or no `print`",
                    )


def _outside_functions(text: str) -> Iterator[ast.stmt]:
    """The statements of a program that stand in no function or class, in their order."""
    try:
        todo: list[ast.AST] = [ast.parse(text)]
    except SyntaxError:
        return  # running it says so
    while todo:
        node = todo.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            todo += reversed(list(ast.iter_child_nodes(node)))


def _prints(node: ast.stmt) -> bool:
    called = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else None
    return isinstance(called, ast.Name) and called.id == "print"


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
