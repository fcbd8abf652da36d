"""Every fence is executed, drawn or excused, and says only what it can say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inside_torch.book.article import Block, Book
from inside_torch.book.fences import DEVICES, GRAMMARS, NEEDS, NORMALISERS, parse_range, parse_timeout
from inside_torch.book.rules import rule
from inside_torch.errors import BookError, nearest

#: The options in the opening line of a fence, by kind.
OPTIONS: dict[str, tuple[str, ...]] = {
    "probe": ("id", "group", "normalise", "devices", "why", "raises"),
    "diagram": ("id",),
    "excused": ("excuse", "id", "title"),
}


@rule("fence-unproven")
def unproven(book: Book) -> Iterator[BookError]:
    """Every fence is executed, drawn from a proven source, or excused."""
    for page in book.sound:
        for block in page.of_kind("excused"):
            if "excuse" not in block.fence.options:
                language = block.fence.language
                known = ["python", "mermaid", *GRAMMARS]
                what = f"a `{language}` fence" if language else "a fence of no language"
                yield BookError(
                    "fence-unproven",
                    f"{what} that nothing proves",
                    'an excuse: {excuse="the reason"}',
                    nearest(language, known, cutoff=0.75),  # a slip of the pen; bash is not like path
                    page.path,
                    block.line,
                )


@rule("excuse-reason")
def excuse_reasons(book: Book) -> Iterator[BookError]:
    """An excuse, and a `why`, gives its reason in at least three words."""
    for page in book.sound:
        for block in page.blocks:
            reasons = [block.fence.options.get(name) for name in ("excuse", "why")]
            if block.body:
                reasons += block.body.keys.get("why", [])
            for reason in reasons:
                if (
                    reason is not None
                    and len(re.findall(r"[^\W\d_]+|[\u4e00-\u9fff]{2}", reason)) < 3
                    and not (len(re.findall(r"[\u4e00-\u9fff]", reason)) >= 4)
                ):
                    yield BookError(
                        "excuse-reason",
                        f"the reason `{reason}`",
                        "a reason of at least three words",
                        file=page.path,
                        line=block.line,
                    )


@rule("fence-options")
def fence_options(book: Book) -> Iterator[BookError]:
    """A fence has no option that its kind does not know."""
    for page in book.sound:
        for block in page.blocks:
            known = OPTIONS.get(block.kind, ())
            for option in block.fence.options:
                if option not in known and (block.kind != "excused" or "excuse" in block.fence.options):
                    yield BookError(
                        "fence-options",
                        f"the option `{option}` of a {block.kind}",
                        "one of " + ", ".join(known) if known else "keys below its subject",
                        nearest(option, known),
                        page.path,
                        block.line,
                    )


@rule("fence-value")
def fence_values(book: Book) -> Iterator[BookError]:
    """The value of an option or key is one that it can have."""
    for page in book.sound:
        for block in page.blocks:
            for found, expected, near, line in _wrong_values(block):
                yield BookError("fence-value", found, expected, near, page.path, line)


def _wrong_values(block: Block) -> Iterator[tuple[str, str, str, int]]:
    """Found, expected, nearest and line of each value that cannot be."""
    body = block.body
    values = dict(block.fence.options) if not body else {key: said[0] for key, said in body.keys.items()}
    lines = {key: said[0] for key, said in body.key_lines.items() if said} if body else {}

    def line(key: str) -> int:
        return lines.get(key, block.line)

    for key, known in (("normalise", NORMALISERS), ("needs", NEEDS), ("devices", DEVICES)):
        for value in re.split(r"\s*,\s*", values.get(key, "")) if key in values else []:
            if value not in known:
                yield f"`{value}` in `{key}`", "one of " + ", ".join(known), nearest(value, known), line(key)
    if ("devices" in values) != ("why" in values):
        here = "devices" if "devices" in values else "why"
        other = "why" if here == "devices" else "devices"
        yield f"`{here}` with no `{other}`", "both or neither", "", line(here)
    if "timeout" in values:
        try:
            parse_timeout(values["timeout"])
        except BookError as error:
            yield error.found, error.expected, "", line("timeout")
    if "view" in values and values["view"] not in ("list", "sequence"):
        yield f"`view: {values['view']}`", "list or sequence", "", line("view")
    if "raises" in values and not re.fullmatch(r"[A-Za-z_][\w.]*", values["raises"]):
        yield f"`raises: {values['raises']}`", "the name of an exception's class", "", block.line


@rule("fence-range")
def fence_ranges(book: Book) -> Iterator[BookError]:
    """What an excerpt shows or folds is named by one text or two, in backticks."""
    for page in book.sound:
        for block in page.of_kind("excerpt"):
            for key in ("show", "fold"):
                if not block.body or key not in block.body.keys:
                    continue
                for value, line in zip(block.body.keys[key], block.body.key_lines[key], strict=True):
                    try:
                        parse_range(value)
                    except BookError as error:
                        yield error.at(page.path, line)
