"""The rules of the book: small functions that each prove one thing and yield what breaks it.

A rule takes the whole book; its name is what its errors carry, and the name of
the fixture in ``tests/fixtures/broken`` that shows it fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

Rule = Callable[[Book], Iterator[BookError]]

#: Every rule that looks at what pages mean, by name.
RULES: dict[str, Rule] = {}

#: Rules of the grammar, which are found while a page is read: name and what it proves.
GRAMMAR: dict[str, str] = {
    "front-matter": "The front matter is YAML of the page's schema, and holds no field that is unknown.",
    "encoding": "A page is UTF-8 with no byte order mark.",
    "unclosed-fence": "Every fence is closed by the characters that open it.",
    "fence-options": "The options of a fence are ones that its kind has, each with a value.",
    "fence-subject": "A fence of the book names its subject on its first line.",
    "fence-value": "The value of an option or key is one that it can have.",
    "fence-range": "What an excerpt shows or folds is named by one text or two, in backticks.",
    "fence-key": "A fence of the book has only keys that it knows, each once.",
    "annotation": "What follows the keys of a fence is annotations.",
    "measured-value": "A value in the prose names a number of a recorded result, in a format that it takes.",
}


def rule(name: str) -> Callable[[Rule], Rule]:
    """Make a function the rule of this name."""

    def register(function: Rule) -> Rule:
        RULES[name] = function
        return function

    return register
