"""Every claim of the book is counted as it is recorded, and refuses the counterexample planted for it."""

from __future__ import annotations

import pytest
from inside_torch.book.claims import articles, claims_of
from inside_torch.errors import BookError
from inside_torch.run.claim_counts import ClaimOutcome, count_article

from .the_book import ROOT


def cases() -> list:
    """Article and claim; a file that cannot be read is one case that fails."""
    found = []
    for article in articles(ROOT):
        try:
            found += [(article, claim) for claim in claims_of(ROOT, article)]
        except BookError as error:
            found.append((article, error))
    return [pytest.param(*case, id=f"{case[0]}#{case[1]}".split("\n")[0]) for case in found]


@pytest.fixture(scope="module")
def counted() -> dict[str, dict[str, ClaimOutcome]]:
    """What was counted of each article, all its claims at once."""
    return {}


@pytest.mark.timeout(0)  # each has a limit of its own
@pytest.mark.parametrize(("article", "claim"), cases())
def test_claim(article, claim, counted, fork_server):
    if isinstance(claim, BookError):
        pytest.fail(str(claim), pytrace=False)
    if article not in counted:
        outcomes = count_article(ROOT, article, check=True, start=fork_server.run)
        counted[article] = {outcome.claim.id: outcome for outcome in outcomes}
    outcome = counted[article][claim]
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    if outcome.error:
        pytest.fail(str(outcome.error), pytrace=False)
    assert outcome.count > 0
