"""The book keeps each of its rules."""

from __future__ import annotations

import pytest
from inside_torch.book.check import check_book
from inside_torch.book.rules import GRAMMAR, RULES

from .the_book import book


@pytest.fixture(scope="module")
def errors():
    found: dict[str, list[str]] = {}
    for error in check_book(book()):
        found.setdefault(error.rule, []).append(str(error))
    return found


@pytest.mark.parametrize("rule", sorted({*RULES, *GRAMMAR}))
def test_rule(rule, errors):
    if rule in errors:
        pytest.fail("\n".join(errors[rule]), pytrace=False)


def test_no_error_is_of_a_rule_that_is_not_listed(errors):
    assert set(errors) <= {*RULES, *GRAMMAR}
