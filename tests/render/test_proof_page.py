"""What is proven of an article: pins by evidence, each kind of run, releases, the translation."""

from __future__ import annotations

import shutil

import pytest
from inside_torch.book.claims import Count, Counts
from inside_torch.book.language import digest_of
from inside_torch.book.run_record import ArticleRun, RunRecord, Tally, article_digest, keep
from inside_torch.pins.lock import PinLock
from inside_torch.releases.drift import Drift
from inside_torch.releases.stored import of_drifts

from .small_book import EDGE, FILE, QUEUE, fence

SLUG = "module-01-sums/add"


@pytest.fixture
def article(book):
    page = book / "docs" / "en" / f"{SLUG}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(
        "---\ntitle: Adding\nquestion: What?\nminutes: 5\n---\n\n"
        f"# Adding {{#adding}}\n\nAn [edge]({EDGE}), a [file]({FILE}), a [queue]({QUEUE}).\n"
    )
    yield page
    for file in (page, *(book / "docs").glob("proof/*"), *(book / "docs").glob("drift/*")):
        file.unlink()


def ran(book, **tallies: Tally) -> ArticleRun:
    return ArticleRun(
        date="2026-11-21",
        torch="2.13.0+cpu",
        machine="a test",
        device="cpu",
        digest=article_digest(book, SLUG),
        tallies=tallies,
    )


def test_what_a_run_leaves_is_no_part_of_an_article(article, book):
    before = article_digest(book, SLUG)
    snippets = book / "snippets" / SLUG
    for place in (".hypothesis/constants/1", "__pycache__/x.pyc"):
        left = snippets / place
        left.parent.mkdir(parents=True)
        left.write_text("left")
    assert article_digest(book, SLUG) == before
    (snippets / "x.py").write_text("")
    assert article_digest(book, SLUG) != before
    shutil.rmtree(snippets)


def rows(draw) -> dict[str, list[str]]:
    """Each row of the article's section: its name, its values."""
    told: dict[str, list[str]] = {}
    for part in draw(fence("proof", "all")).section.dl.find_all(["dt", "dd"]):
        if part.name == "dt":
            told[part.text] = []
        else:
            told[list(told)[-1]].append(part.text)
    return told


def test_a_run_that_never_happened_is_shown_as_missing(article, draw):
    found = rows(draw)
    assert found["Pins"] == ["1 by text, 1 by witnesses, 1 whole files"]
    for run in ("CPU build", "CUDA build, examples on the CPU", "CUDA build, examples on a GPU"):
        assert found[run] == ["This run has never happened."]
    assert found["Chinese"] == ["not translated"]
    section = draw(fence("proof", "all")).section
    assert section.p["id"] == "module-01-sums-add" and section.a["href"] == f"{SLUG}.md"


def test_a_row_of_the_dry_gpu_where_something_runs_on_it(article, draw):
    name = "CUDA build, examples on a GPU that computes nothing"
    assert name not in rows(draw)
    article.write_text(article.read_text() + '\n```python {devices="dry" why="it is the host"}\nx\n```\n')
    assert rows(draw)[name] == ["This run has never happened."]


def test_what_was_counted_is_shown(article, book, draw):
    assert rows(draw)["Counted claims"] == ["none"]
    counts = {
        name: Count(sentence="So.", code_digest="0", population="", count=1200, exceptions=exceptions)
        for name, exceptions in (("a", []), ("b", ["x", "y"]))
    }
    file = Counts.file(book, SLUG)
    before = file.read_bytes() if file.is_file() else None
    Counts(article=SLUG, release="2.13.0", build="cpu", claims=counts).dump(file)
    try:
        told = "2 with 2,400 members, of which 2 are exceptions"
        assert rows(draw)["Counted claims"] == [told]
    finally:
        file.unlink() if before is None else file.write_bytes(before)


def test_a_run_shows_what_passed_when_and_where(article, book, draw):
    keep(book, "cpu", "cpu", {SLUG: ran(book, probes=Tally(passed=4), programs=Tally(passed=1, failed=1))})
    passed, when = rows(draw)["CPU build"]
    assert passed == "4 of 4 probes, 1 of 2 programs, 1 failed"
    assert when == "2026-11-21, torch 2.13.0+cpu, cpu, a test"


def test_a_run_before_the_last_edit_says_so(article, book, draw):
    keep(book, "cpu", "cpu", {SLUG: ran(book, probes=Tally(passed=4))})
    article.write_text(article.read_text() + "\nMore.\n")
    assert "before the last edit" in rows(draw)["CPU build"][1]


def test_a_run_of_one_kind_keeps_the_others_while_the_article_is_the_same(article, book):
    keep(book, "cpu", "cpu", {SLUG: ran(book, probes=Tally(passed=4))})
    keep(book, "cpu", "cpu", {SLUG: ran(book, paths=Tally(passed=1))})
    assert RunRecord.of(book, "cpu", "cpu").articles[SLUG].tallies.keys() == {"probes", "paths"}
    article.write_text(article.read_text() + "\nMore.\n")
    keep(book, "cpu", "cpu", {SLUG: ran(book, paths=Tally(passed=1))})
    assert RunRecord.of(book, "cpu", "cpu").articles[SLUG].tallies.keys() == {"paths"}


def test_other_releases_are_counted(article, book, draw):
    lock = PinLock.load(book)
    drifts = [Drift(EDGE, "moved", lock.pin(EDGE).digest, 1, 2), Drift(QUEUE, "gone", lock.pin(QUEUE).digest)]
    of_drifts("2.99.0", "ab" * 20, True, drifts).save(book)
    assert rows(draw)["Other releases"] == ["2.99.0: 1 the same, 0 changed, 1 gone, 1 not compared"]


def test_sentences_with_no_proof_are_counted(article, draw):
    article.write_text(
        article.read_text()
        + "\n## Concepts {#concepts}\n\nEach is one. All are two. <!-- open: said so -->\n"
    )
    (told,) = rows(draw)["Unproven sentences"]
    assert told.startswith("1 with") and told.endswith("1 more are left open for a reason")


@pytest.fixture
def read(article, book):
    """Readings of the article: day, serious and minor errors, whether the page is still what was read."""
    file = book / "docs" / "readings.yml"

    def write(*readings: tuple[int, int, int, bool], also: str = "") -> None:
        now = digest_of(article)
        file.write_text(
            "".join(
                f"- {{date: 2026-11-{day}, protocol: sceptic, statements: 40, articles: {{{SLUG}: {{serious: "
                f'{serious}, minor: {minor}, digest: "{now if same else "0" * 16}"}}{also}}}}}\n'
                for day, serious, minor, same in readings
            )
        )

    yield write
    file.unlink(missing_ok=True)


def test_readings_are_shown_with_what_was_found_and_whether_the_page_is_still_that(read, draw):
    assert rows(draw)["Read by a sceptic"] == ["Nobody has held its statements against the source."]
    read((20, 0, 3, False), (22, 2, 1, True))
    assert rows(draw)["Read by a sceptic"] == [
        "Not yet two readings in a row that found nothing serious.",
        "2026-11-22: 2 serious and 1 minor errors found",
        "about 40 statements held against the source",
        "2026-11-20: 0 serious and 3 minor errors found",
        "about 40 statements held against the source (before the last edit of the article)",
    ]
    read((20, 0, 3, True), also=', b/c: {serious: 0, minor: 0, digest: "0123456789abcdef"}')
    assert rows(draw)["Read by a sceptic"][2] == (
        "about 40 statements held against the source, in 2 articles together"
    )


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ((0, 0), "The last two readings found nothing serious."),
        ((0, 1), "Not yet two readings in a row that found nothing serious."),
        ((1, 0), "Not yet two readings in a row that found nothing serious."),
    ],
)
def test_the_last_two_readings_say_whether_an_article_counts_as_read(read, draw, last, told):
    read((22, 5, 1, True), (23, 3, 2, True), *((24, serious, 4, True) for serious in last))
    shown = rows(draw)["Read by a sceptic"]
    assert shown[0] == told
    # Of one day, the last in the file is the latest.
    assert shown[1::2][:2] == [
        f"2026-11-24: {serious} serious and 4 minor errors found" for serious in reversed(last)
    ]
    assert shown[-1].split("\n")[2:4] == [
        "2 earlier: 8 serious and 3 minor errors found",
        "2026-11-23: 3 serious and 2 minor errors found",
    ]


def test_a_single_reading_is_not_two(read, draw):
    read((22, 0, 0, True))
    assert rows(draw)["Read by a sceptic"][0] == "Not yet two readings in a row that found nothing serious."
