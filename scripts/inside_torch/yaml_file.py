"""YAML files: one that cannot be read is an error that says where."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from inside_torch.errors import BookError


@contextmanager
def reading(rule: str, file: Path, expected: str = "YAML", above: int = 0) -> Iterator[None]:
    """Turn what goes wrong while a file is read, or its text parsed, into a :class:`BookError` of the rule.

    ``above`` counts the lines of the file before the text that is parsed.
    """
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(rule, f"cannot be read: {error}", expected, file=file) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = getattr(error, "problem", None) or str(error)
        line = mark.line + 1 + above if mark else 1
        raise BookError(rule, f"no YAML: {found}", expected, file=file, line=line) from None


def value(text: str) -> Any:
    """What a text says."""
    return yaml.load(text, yaml.CSafeLoader)


def node(text: str) -> yaml.Node | None:
    """The same as nodes, which know their lines and are no values yet; None of an empty text."""
    return yaml.compose(text, yaml.CSafeLoader)
