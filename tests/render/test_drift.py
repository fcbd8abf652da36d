"""Other releases on a page: a word in the head of an excerpt, and one page a release."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest
import yaml
from inside_torch.book.claims import Count, Counts, Other
from inside_torch.pins.lock import PinLock
from inside_torch.releases.drift import Drift
from inside_torch.releases.stored import Stored, of_drifts
from inside_torch.render.pin_index import PinIndex
from inside_torch.render.plain import plain

from .small_book import EDGE, GRAPH, QUEUE, fence

COMMIT = "ab" * 20
OLDER, NEWER = "2.98.1", "2.99.0"


@pytest.fixture
def compared(book):
    """Writes a release: what EDGE is in it; GRAPH is the same, QUEUE unknown, nothing else compared."""
    lock = PinLock.load(book)

    def write(version: str, edge: str, after: str = "0" * 16) -> None:
        drifts = [
            Drift(EDGE, edge, lock.pin(EDGE).digest, 20, 44, 3, 1, after=after),
            Drift(GRAPH, "moved", lock.pin(GRAPH).digest, 900, 930),
            Drift(QUEUE, "unknown", lock.pin(QUEUE).digest),
        ]
        written.append(of_drifts(version, COMMIT, False, drifts).save(book))

    written = []
    page = book / "docs" / "en" / "module-00-x" / "a.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        f"---\ntitle: The edge\n---\n\n## Part {{#part}}\n\nAn [edge]({EDGE}), a [graph]({GRAPH}).\n"
    )
    yield write
    page.unlink()
    page.parent.rmdir()
    for file in written:
        file.unlink(missing_ok=True)


@pytest.fixture
def claims(book):
    """Writes a claim of three members, with the exception c, and how another release counted it."""
    folder = book / "snippets" / "module-00-x" / "a"

    def write(*others: Other) -> None:
        folder.mkdir(parents=True)
        (folder / "claims.py").write_text(
            "from inside_torch.claims import counted\n\n\n"
            '@counted(list, planted=1)\ndef small(one):\n    """Each is small."""\n    return True\n'
        )
        ours = Count(sentence="Each is small.", code_digest="0", population="list", count=3, exceptions=["c"])
        counts = Counts(
            article="module-00-x/a", release="2.13.0", build="cpu",
            claims={"small": ours}, others={"small": list(others)},
        )  # fmt: skip
        counts.dump(Counts.file(book, "module-00-x/a"))

    yield write
    shutil.rmtree(folder.parent)


@pytest.fixture
def words(book):
    """Writes what a release changed in EDGE."""

    def write(version: str, what: str, **more: str | bool) -> None:
        file = book / "docs" / "drift" / f"{version}.words.yml"
        file.write_text(yaml.safe_dump([{"what": what, "pins": [EDGE], **more}]))
        written.append(file)

    written = []
    yield write
    for file in written:
        file.unlink(missing_ok=True)


def head(draw, address: str) -> list[str]:
    """The badges of an excerpt's head."""
    return [badge.text for badge in draw(fence("excerpt", address)).figcaption(class_="it-badge--drift")]


def test_without_a_comparison_nothing_is_said(draw):
    assert head(draw, EDGE) == []


def test_the_last_release_through_which_it_is_the_same(draw, compared):
    compared(OLDER, "same")
    compared(NEWER, "same")
    assert head(draw, EDGE) == ["same through 2.99.0"]


def test_the_first_release_that_changed_it(draw, compared):
    compared(OLDER, "changed")
    compared(NEWER, "same")
    assert head(draw, EDGE) == ["changed in 2.98.1"], "what a later release is alike in does not undo it"


def test_same_text_on_other_lines_is_the_same(draw, compared):
    compared(NEWER, "gone")
    assert head(draw, GRAPH) == ["same through 2.99.0"]
    assert head(draw, EDGE) == ["gone in 2.99.0"]


def test_what_nobody_could_compare_is_not_called_the_same(draw, compared):
    compared(NEWER, "same")
    assert head(draw, QUEUE) == []


def test_a_pin_that_has_changed_since_is_not_called_the_same(draw, book, compared):
    compared(NEWER, "same")
    kept = Stored.load(book, NEWER)
    address = str(PinLock.load(book).pin(EDGE).address)
    drifts = kept.drifts | {address: replace(kept.drifts[address], digest="0" * 16)}
    replace(kept, drifts=drifts).save(book)
    assert head(draw, EDGE) == []


def test_the_word_opens_to_what_changed(draw, compared, words):
    compared(OLDER, "changed")
    compared(NEWER, "changed", "1" * 16)
    words(OLDER, "`Edge` has *no* <b> `x`.")
    words(NEWER, "Another.", zh="另一个。")
    for language, second in (("en", "Another."), ("zh", "另一个。")):
        drawn = draw(fence("excerpt", EDGE), language=language)
        opened = drawn.figcaption.details
        assert OLDER in opened.summary.text and "it-badge--changed" in opened.summary["class"]
        assert [p.text for p in opened("p")] == [f"{OLDER}: Edge has *no* <b> x.", f"{NEWER}: {second}"]
        assert [code.text for code in opened("code")] == ["Edge", "x"] and not opened.b
        assert opened.p.span.get("lang") == (None if language == "en" else "en")
        assert not opened("p")[1].span.get("lang")


def test_what_two_releases_changed_alike_is_told_once(draw, compared, words):
    compared(OLDER, "changed")
    compared(NEWER, "changed")
    words(OLDER, "Less.")
    assert [p.text for p in draw(fence("excerpt", EDGE)).figcaption.details("p")] == [f"{OLDER}: Less."]
    [change] = draw(fence("drift", NEWER)).section.ul("li", recursive=False)
    assert change.span.text == "Less." and f"(since {OLDER})" in change.text
    assert change.ul.li.code.text == EDGE.removeprefix("src:")


def test_the_words_lead_to_the_entry(book, compared, words, converter, tmp_path):
    compared(NEWER, "gone")
    words(NEWER, "Less.")
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases" / f"{NEWER}.md").write_text("")
    page = tmp_path / "demo" / "page.md"
    page.parent.mkdir()
    page.write_text(fence("excerpt", EDGE))
    assert f'<p><a href="../releases/{NEWER}.md#pin-' in converter(page).convert(page.read_text())


def test_the_plain_copy_has_the_words(book, compared, words):
    compared(NEWER, "changed")
    words(NEWER, "Less `x`.")
    assert plain(book, fence("excerpt", EDGE)).rstrip().endswith(f"Changed in {NEWER}: Less `x`.")
    assert plain(book, fence("drift", NEWER)).strip() == f"- Less `x`.\n    - `{EDGE}` (changed)"


def test_the_page_of_a_release(draw, book, compared):
    compared(NEWER, "changed")
    drawn = draw(fence("drift", NEWER))
    counts = {row.th.text: int(row.td.text) for row in drawn.tbody("tr")}
    total = len(list(PinIndex(book).pins()))
    assert counts == {"same": 0, "moved": 1, "changed": 1, "gone": 0, "unknown": 1, "not compared": total - 3}
    [article] = drawn("section")
    assert "The edge (1 of its 2 pins)" in article.p.text
    entry = article.li
    assert entry.code.text == EDGE.removeprefix("src:")
    assert "lines 14–39 → lines 20–44 (+3 −1) #part" in " ".join(entry.text.split())
    links = [anchor["href"] for anchor in entry("a")]
    assert links[1].endswith(f"{COMMIT}/torch/csrc/autograd/edge.h#L20-L44")
    assert links[2].endswith("module-00-x/a.md#part")


def test_the_page_begins_with_what_a_user_notices(draw, compared, words):
    compared(NEWER, "changed")
    words(NEWER, "An edge is `long`.", notable=True)
    drawn = draw(fence("drift", NEWER))
    noticed = drawn.find(class_="it-drift-noticed")
    assert drawn.h2["id"] == "noticed" and noticed.li.span.text == "An edge is long."
    assert noticed.a["href"] == f"#{drawn.section.find(id=True)['id']}"
    assert noticed.a.code.text == "Edge"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_tells_which_claims_are_counted_otherwise(draw, book, compared, claims, language):
    compared(NEWER, "same")
    claims(Other(release=NEWER, build="cu132", count=4, exceptions=["b"], came=["d", "e"], went=["a"]))
    drawn = draw(fence("drift", NEWER), language=language)
    item = drawn.find(class_="it-drift-counted").li
    assert item.a["href"].endswith("module-00-x/a.md#claim-small") and item.a.text == "Each is small."
    assert [code.text for code in item("code")] == ["d", "e", "a", "b", "c"]
    numbers = "3 of 4 (build cu132); on 2.13.0 2 of 3." if language == "en" else "2.13.0：3 个中 2 个成立。"
    assert numbers in item.text


def test_claims_with_the_same_members_are_a_number(draw, compared, claims):
    compared(NEWER, "same")
    claims(Other(release=NEWER, build="cpu", count=3, exceptions=["c"]))
    drawn = draw(fence("drift", NEWER))
    assert not drawn.find(class_="it-drift-counted")
    assert "1 more have the same members" in drawn.text


def test_the_word_leads_to_its_entry(draw, book, compared, converter, tmp_path):
    compared(NEWER, "changed")
    entry = draw(fence("drift", NEWER)).li["id"]
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases" / f"{NEWER}.md").write_text("")
    page = tmp_path / "demo" / "page.md"
    page.parent.mkdir()
    page.write_text(fence("excerpt", EDGE))
    html = converter(page).convert(page.read_text())
    assert f'href="../releases/{NEWER}.md#{entry}"' in html
