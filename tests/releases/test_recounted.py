"""What a move to another release lists of the claims that it counted again."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from inside_torch.book.claims import Count, Counts
from inside_torch.releases.read_again import _claims

ARTICLE = "module-01-sums/add"


def counted(root: Path, **exceptions: list[str]) -> Path:
    claims = {
        name: Count(sentence="So.", code_digest="0", population="", count=10, exceptions=names)
        for name, names in exceptions.items()
    }
    file = Counts.file(root, ARTICLE)
    Counts(article=ARTICLE, release="2.13.0", build="cpu", claims=claims).dump(file)
    return file.relative_to(root)


def test_a_claim_with_other_exceptions_is_listed_and_the_others_are_not(tmp_path):
    before, after = tmp_path / "before", tmp_path / "after"
    place = counted(before, same=["a"], other=["a", "b"], gone=[])
    counted(after, same=["a"], other=["b", "c"], new=["d"])
    move = SimpleNamespace(root=before, folder=after)
    assert list(_claims(move, [place, Path("docs/en/index.md")])) == [
        "snippets/module-01-sums/add#other: 8 of 10 before, 8 of 10 now; new exceptions: c; "
        "exceptions that are gone: a"
    ]
