"""The line table: what is written is read, and what was edited is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inside_torch.errors import BookError
from inside_torch.pins import line_table
from inside_torch.pins.line_table import Row

ROWS = [
    Row("a.cpp", "Box::put", 20, 30, "exact", "seen"),
    Row("a.cpp", "Box::end", 38, None, "bounded", "guessed"),
]


@pytest.fixture
def table(monkeypatch, tmp_path):
    """A table of two rows, in the place of the released one."""
    file = tmp_path / "table.tsv"
    file.write_text(line_table.text(ROWS))
    monkeypatch.setattr(line_table, "TABLE", file)
    line_table.rows.cache_clear()
    yield file
    line_table.rows.cache_clear()


def test_the_table_that_is_written_is_the_table_that_is_read(table):
    assert line_table.rows() == {"a.cpp": tuple(ROWS)}


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\t20\t30\t", "\t26\t36\t"),
        lambda text: text.replace("bounded", "exact"),
        lambda text: text.replace("Box::end", "Box::begin"),
        lambda text: "".join(text.splitlines(keepends=True)[:-1]),
        lambda text: "# digest 0123456789abcdef\n" + text.partition("\n")[2],
    ],
    ids=["six lines off", "more certain", "another symbol", "a row less", "another digest"],
)
def test_a_row_edited_by_hand_is_refused(table, edit):
    table.write_text(edit(table.read_text()))
    with pytest.raises(BookError, match="rows that are not those that were measured") as caught:
        line_table.rows()
    assert (caught.value.rule, caught.value.file) == ("line-table", table)


def test_a_row_that_is_none_is_named(table):
    table.write_text(table.read_text() + "a.cpp\tBox::get\tforty\n")
    with pytest.raises(BookError, match="six columns") as caught:
        line_table.rows()
    assert caught.value.line == 5


def test_a_digest_is_of_each_column(table):
    texts = {
        line_table.text([replace(ROWS[0], **{column: value})]).partition("\n")[0]
        for column, value in (("path", "b.cpp"), ("symbol", "f"), ("first", 21), ("last", None), ("how", "x"))
    }
    assert len(texts) == 5
