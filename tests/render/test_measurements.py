"""Measured numbers come from the recording, in the table and in the prose."""

from __future__ import annotations

from .small_book import fence


def test_the_table_names_the_rows_the_machine_and_the_command(draw):
    drawn = draw(fence("measurements", "demo/add", "id: cost", "rows:", "  ratio: share of `it`"))
    assert [cell.text for cell in drawn.tbody("td")] == ["0.346"] and drawn.tbody.th.code.text == "it"
    assert drawn.figure["id"] == "cost"
    assert "torch 2.13.0+cpu on a test, 2026-11-21" in drawn.figcaption.text
    assert "inside-torch measure demo/add" in drawn.figcaption.text


def test_without_rows_every_value_is_in_the_table(draw):
    assert [cell.text for cell in draw(fence("measurements", "demo/add")).tbody("th")] == ["ratio", "count"]


def test_a_number_in_the_prose_is_the_recorded_one(draw):
    drawn = draw(
        "It is {{ demo/add:ratio | .2f }}, or {{demo/add:ratio}} of {{ demo/add:count }}.\n\n`{{ x/y:z }}`"
    )
    assert drawn.p.text == "It is 0.35, or 0.346 of 12."
    assert drawn.span["title"] == "Measured by demo/add with torch 2.13.0+cpu on a test, 2026-11-21"
    assert drawn("p")[1].code.text == "{{ x/y:z }}"


def test_a_number_stands_in_a_table_and_a_note(draw):
    drawn = draw(
        "| a |\n|---|\n| {{ demo/add:count }} |\n\n"
        + fence("program", "demo/add.py", "", "`loss =`: {{ demo/add:count }}")
    )
    assert drawn.td.text == "12" and drawn.find(class_="it-note").text.strip() == "12"
