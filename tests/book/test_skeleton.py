"""What `inside-torch new` begins keeps every rule but those that say what is still to be written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from inside_torch.book.check import check
from inside_torch.book.curriculum import load
from inside_torch.book.page import SECTIONS
from inside_torch.book.skeleton import MARK, TASKS, new_article, new_module
from inside_torch.errors import BookError

GOOD = Path(__file__).parent.parent / "fixtures" / "book"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def book(tmp_path):
    """A copy of the good book."""
    return Path(shutil.copytree(GOOD, tmp_path / "book", ignore=shutil.ignore_patterns("__pycache__")))


def begin(book: Path) -> None:
    new_module(book, "module-03-shares", "Shares: and more", "份额")
    new_article(
        book, "module-03-shares/halves", "What is a half?", "Who gets the rest?", ("一半", "谁得余数？")
    )


def test_a_beginning_fails_only_for_what_is_not_written(book):
    begin(book)
    errors = check(book)
    assert {error.rule for error in errors} == {"unwritten", "threshold"}
    said = [error.expected for error in errors if error.rule == "unwritten" and "halves" in str(error.file)]
    assert said == [TASKS[section] for section in SECTIONS]
    assert all(line.startswith("> ") for line in MARK.splitlines())


def test_it_is_in_the_curriculum_and_in_both_navigations_after_what_comes_before(book):
    before = (book / "docs" / "curriculum.yml").read_text()
    begin(book)
    known = load(book)
    assert list(known.modules)[-1] == "module-03-shares"
    assert known.modules["module-03-shares"].title.zh == "份额"
    assert known.entries["module-03-shares/halves"].question.en == "Who gets the rest?"
    assert (book / "docs" / "curriculum.yml").read_text().count("\n") > before.count("\n")
    for file in ("mkdocs.yml", "docs/mkdocs.zh.yml"):
        text = (book / file).read_text()
        assert text.index("module-01-sums/") < text.index("module-03-shares/index.md")
        assert text.index("module-03-shares/index.md") < text.index("module-03-shares/halves.md")


def test_an_article_of_the_curriculum_that_is_not_written_keeps_its_entry(book):
    (book / "docs" / "en" / "module-02-products").mkdir()
    (book / "docs" / "en" / "module-02-products" / "index.md").write_text("# Products {#products}\n")
    for file in ("mkdocs.yml", "docs/mkdocs.zh.yml"):
        text = (book / file).read_text()
        line = next(line for line in text.splitlines() if "module-01-sums/carry.md" in line)
        indented = line.replace("module-01-sums/carry.md", "module-02-products/index.md")
        (book / file).write_text(text.replace(line, f"{line}\n{indented}"))
    written = new_article(
        book, "module-02-products/times", "Times", "What is a product?", ("乘", "什么是积？")
    )
    assert Path("docs/curriculum.yml") not in written
    assert {error.rule for error in check(book)} == {"unwritten", "threshold"}


def test_it_works_on_this_book(tmp_path):
    for name in ("mkdocs.yml", "docs/mkdocs.zh.yml", "docs/curriculum.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "docs" / "en", tmp_path / "docs" / "en")
    new_module(tmp_path, "module-12-random", "Random numbers", "随机数")
    new_article(
        tmp_path, "module-12-random/seeds", "Seeds", "What does a seed fix?", ("种子", "种子固定了什么？")
    )

    class Loader(yaml.SafeLoader):
        """Reads the configuration with its own tags as lists."""

    Loader.add_constructor("!ENV", lambda loader, node: loader.construct_sequence(node))
    nav = yaml.load((tmp_path / "mkdocs.yml").read_text(), Loader)["nav"]
    sections = next(iter(nav[0].values()))
    assert {"Random numbers": ["module-12-random/index.md", "module-12-random/seeds.md"]} in sections
    assert "module-12-random/seeds" in load(tmp_path).entries


@pytest.mark.parametrize(
    ("make", "says", "nearest"),
    [
        (lambda book: new_module(book, "random", "R", "R"), "the name 'random'", "module-03-random"),
        (lambda book: new_module(book, "../x", "R", "R"), "the name '../x'", "module-03-x"),
        (lambda book: new_module(book, "module-01-sums", "S", "S"), "module-01-sums is there", ""),
        (
            lambda book: new_module(book, "module-01-shares", "S", "S"),
            "module-01-shares, and module-01-sums has that number",
            "module-03-shares",
        ),
        (
            lambda book: new_article(book, "module-1-sums/a", "A", "?", ("A", "?")),
            "no module",
            "module-01-sums",
        ),
        (
            lambda book: new_article(book, "module-01-sums/A b", "A", "?", ("A", "?")),
            "'A b'",
            "module-01-sums/a-b",
        ),
        (lambda book: new_article(book, "module-01-sums/../../x", "A", "?", ("A", "?")), "the name", ""),
        (lambda book: new_article(book, "module-01-sums/add", "A", "?", ("A", "?")), "add.md is there", ""),
    ],
)
def test_a_bad_name_writes_nothing(book, make, says, nearest):
    before = {file: file.read_bytes() for file in book.rglob("*") if file.is_file()}
    with pytest.raises(BookError) as raised:
        make(book)
    assert says in str(raised.value) and nearest in raised.value.nearest
    assert {file: file.read_bytes() for file in book.rglob("*") if file.is_file()} == before
