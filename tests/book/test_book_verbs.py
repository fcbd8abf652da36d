"""The verbs check and translated, as they are typed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inside_torch.book.whole_book import Book
from inside_torch.cli import app, site
from inside_torch.cli import book as verbs
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.site import faults
from typer.testing import CliRunner

GOOD = Path(__file__).parent.parent / "fixtures" / "book"


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A copy of the good book in the place of ours; its pins and drawings are tested in their own rooms."""
    root = Path(shutil.copytree(GOOD, tmp_path / "book"))
    monkeypatch.setattr(verbs, "ROOT", root)
    monkeypatch.setattr(faults, "pinned", lambda book: [])
    monkeypatch.setattr(faults, "drawn", lambda book, draws: [])
    return root


def test_this_book_has_no_errors():
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 0, result.output


def test_check_holds_pins_and_drawings_too(tmp_path, monkeypatch):
    root = Path(shutil.copytree(GOOD, tmp_path / "book"))
    extension = "markdown_extensions:\n  - attr_list\n  - inside_torch.render\n"
    (root / "mkdocs.yml").write_text((root / "mkdocs.yml").read_text() + extension)
    PinLock(root, {}).save()
    monkeypatch.setattr(verbs, "ROOT", root)
    monkeypatch.chdir(root)
    assert {error.rule for error in faults.pinned(Book.load(root))} == {"pin-not-locked"}
    drawn = faults.drawn(Book.load(root))
    places = {f"{Path(error.file).relative_to(root)}:{error.line}" for error in drawn}
    assert {error.rule for error in drawn} == {"pin-not-locked"}
    assert len([place for place in places if "/add.md" in place]) == 5, (
        "every fence with a pin, not the first"
    )
    assert "docs/en/module-01-sums/add.md:27" in places and "docs/zh/module-01-sums/carry.md:24" in places
    one = faults.drawn(Book.load(root), lambda page: page.place == "module-01-sums/add.md")
    assert {Path(error.file).name for error in one} == {"add.md"} and len(one) == 5, "no other page is drawn"


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        ([], {"add.md", "carry.md", "index.md"}),
        (["docs/en/module-01-sums/carry.md"], {"carry.md"}),
        (["snippets/module-01-sums/carry/one_carry.out"], {"carry.md"}),
        (["snippets/module-01-sums/add"], {"add.md", "carry.md"}),  # the second speaks of it
        (["docs/en/module-01-sums/index.md", "snippets/module-01-sums/carry"], {"index.md", "carry.md"}),
        (["snippets/module-01-sums"], {"add.md", "carry.md", "index.md"}),
        (["docs/en/module-01-sums/carry.md", "mkdocs.yml"], {"add.md", "carry.md", "index.md"}),
    ],
)
def test_what_is_named_says_which_pages_are_drawn(book, monkeypatch, named, shown):
    drawn = set()
    monkeypatch.setattr(faults, "drawn", lambda book, draws: drawn.update(filter_pages(book, draws)) or [])
    CliRunner().invoke(app, ["check", *(str(book / name) for name in named)])
    assert drawn == shown


def filter_pages(book: Book, draws) -> set[str]:
    """The names of the English pages of the module that are drawn."""
    return {
        page.file.name
        for page in book.pages.values()
        if page.is_english and page.place.startswith("module-01") and draws(page)
    }


def test_an_address_in_a_diagram_that_is_not_locked_is_reported_once(tmp_path, monkeypatch):
    root = Path(shutil.copytree(GOOD, tmp_path / "book"))
    extension = "markdown_extensions:\n  - attr_list\n  - inside_torch.render\n"
    (root / "mkdocs.yml").write_text((root / "mkdocs.yml").read_text() + extension)
    PinLock(root, {}).save()
    monkeypatch.setattr(verbs, "ROOT", root)
    page = root / "docs/en/module-01-sums/add.md"
    lines = page.read_text().splitlines()
    click = next(number for number, line in enumerate(lines, 1) if line.strip().startswith("click "))
    result = CliRunner().invoke(app, ["check", str(page)])
    assert result.output.count(f"docs/en/module-01-sums/add.md:{click}: ") == 1, result.output


def test_a_build_holds_the_pins_first_and_leaves_the_site_as_it_was(book, monkeypatch):
    monkeypatch.setattr(site, "ROOT", book)
    moved = BookError("pin-moved", "lines 2-3 in the lock, 1-2 now")
    monkeypatch.setattr(faults, "pinned", lambda book: [moved])
    result = CliRunner().invoke(app, ["build"])
    assert isinstance(result.exception, BookError) and "[pin-moved]" in str(result.exception)
    assert not (book / ".build").exists()


def test_check_is_silent_on_a_good_book(book):
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 0
    said = "no errors in 5 pages, 2 articles, 1 of them translated"
    assert result.output == f"{said}; no code was run (`record --check` does that)\n"


def test_check_lists_the_open_sentences_of_a_page(book):
    page = book / "docs/en/module-01-sums/add.md"
    page.write_text(
        page.read_text().replace(
            "### Two numbers {#two-numbers}",
            "### Two numbers {#two-numbers}\n\nEach is one. All are two. <!-- open: said so -->\n",
        )
    )
    result = CliRunner().invoke(app, ["check", "--open", str(page)])
    assert result.exit_code == 0
    place = "docs/en/module-01-sums/add.md"
    assert result.output.splitlines() == [
        f"{place}:42: [Each] Each is one.",
        f"{place}:42: [All] All are two. (open: said so)",
        f"{place}: 1 open, 1 with a reason",
        "1 open, 1 with a reason",
    ]


def test_check_reports_file_line_rule_and_what_was_expected(book):
    page = book / "docs/en/module-01-sums/add.md"
    page.write_text(page.read_text().replace("(carry.md#two-columns)", "(carry.md#two-colums)"))
    result = CliRunner().invoke(app, ["check"])
    assert result.exit_code == 1
    place = "docs/en/module-01-sums/add.md:144"
    assert f"{place}: [anchor] no `#two-colums` in docs/en/module-01-sums/carry.md\n" in result.output
    assert "    nearest:  two-columns" in result.output and "1 error in 5 pages" in result.output

    result = CliRunner().invoke(app, ["check", "--format", "github"])
    assert result.output.startswith(
        "::error file=docs/en/module-01-sums/add.md,line=144,title=anchor::no `#two-"
    )

    result = CliRunner().invoke(app, ["check", str(book / "docs/zh")])
    assert result.exit_code == 0


def test_check_of_a_file_that_does_not_exist_is_an_error(book):
    with pytest.raises(BookError, match="no-such-file"):
        CliRunner().invoke(app, ["check", str(book / "docs/none.md")], catch_exceptions=False)


def test_check_of_a_page_tells_that_its_translation_fell_behind(book):
    page = book / "docs/en/module-01-sums/carry.md"
    before = CliRunner().invoke(app, ["check", str(page)])
    assert before.exit_code == 0 and "behind" not in before.output
    page.write_text(page.read_text() + "\nMore.\n")
    result = CliRunner().invoke(app, ["check", str(page)])
    assert result.exit_code == 0, "the page itself has nothing wrong"
    assert "fallen behind" in result.output and "docs/zh/module-01-sums/carry.md" in result.output
    assert "fallen behind" not in CliRunner().invoke(app, ["check", str(page.with_name("add.md"))]).output
    translation = CliRunner().invoke(app, ["check", str(book / "docs/zh")])
    assert translation.exit_code == 1 and "fallen behind" not in translation.output, "said once, as an error"


def test_translated_marks_a_page(book):
    page = book / "docs/en/module-01-sums/carry.md"
    page.write_text(page.read_text() + "\nMore.\n")
    assert CliRunner().invoke(app, ["check"]).exit_code == 1
    assert (
        CliRunner().invoke(app, ["translated", str(book / "docs/zh/module-01-sums/carry.md")]).exit_code == 0
    )
    assert CliRunner().invoke(app, ["check"]).exit_code == 0


def test_translated_refuses_what_is_no_translation(book):
    with pytest.raises(BookError, match="is no translation"):
        CliRunner().invoke(app, ["translated", str(book / "mkdocs.yml")], catch_exceptions=False)


def test_statements_are_printed_beside_what_their_proofs_say_until_they_are_read(book):
    page = book / "docs/en/module-01-sums/add.md"
    said = CliRunner().invoke(app, ["statements", str(page)]).output
    assert said == "docs/en/module-01-sums/add.md: 0 of 3 statements unread\n"
    page.write_text(page.read_text().replace("One and one are two.", "One and one are never two."))
    said = CliRunner().invoke(app, ["statements", str(page)]).output
    assert "1. One and one are never two.\n   (its words are not those that were read)" in said
    assert "   #first\n   | print(1 + 1)\n   | #> 2\n" in said and "1 of 3 statements unread" in said
    assert "enters" not in said and CliRunner().invoke(app, ["check"]).exit_code == 1
    assert CliRunner().invoke(app, ["check", "--without", "statement-unread"]).exit_code == 0
    CliRunner().invoke(app, ["statements", str(page), "--read", "1"])
    assert CliRunner().invoke(app, ["check"]).exit_code == 0


def test_what_was_not_named_is_not_noted_as_read(book):
    page = book / "docs/en/module-01-sums/add.md"
    page.write_text(
        page.read_text().replace("- One and one are", "- Three and one are").replace("#> 2", "#> 3")
    )
    CliRunner().invoke(app, ["statements", str(page), "--read", "2-3"])
    assert "1 of 3 statements unread" in CliRunner().invoke(app, ["statements", str(page)]).output
    for wrong in ("4", "0", "2-1", "two"):
        result = CliRunner().invoke(app, ["statements", str(page), "--read", wrong])
        assert isinstance(result.exception, BookError) and "1 to 3" in str(result.exception)
