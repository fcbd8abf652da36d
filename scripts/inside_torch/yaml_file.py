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


class _Once(yaml.CSafeLoader):
    """Takes each key of a mapping once. Of two entries that a merge has fused, YAML keeps one silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                found = f"`{key.value}` twice in a mapping"
                raise yaml.MarkedYAMLError(problem=found, problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def value(text: str) -> Any:
    """What a text says; a key twice is an error."""
    return yaml.load(text, _Once)


def node(text: str) -> yaml.Node | None:
    """The same as nodes, which know their lines and are no values yet; None of an empty text."""
    return yaml.compose(text, yaml.CSafeLoader)
