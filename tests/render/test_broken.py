"""Each rule that drawing proves, broken on purpose: the rule that is named, and the line."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from inside_torch.errors import BookError

FIXTURES = Path(__file__).parent.parent / "fixtures" / "broken"
PAGES = sorted(FIXTURES.glob("render-*/page*.md"))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_fault_is_named_with_its_line(converter, file):
    whole = file.read_text(encoding="utf-8")
    _, front, body = whole.split("---\n", 2)
    expected = yaml.safe_load(front)
    with pytest.raises(BookError) as raised:
        converter(file).convert(body)
    error = raised.value
    assert error.rule == file.parent.name.removeprefix("render-")
    if "wrong" in expected:
        line = next(n for n, text in enumerate(whole.split("\n"), 1) if n > 3 and expected["wrong"] in text)
        assert (Path(error.file), error.line) == (file, line), str(error)
    assert expected.get("says", "") in str(error)
    assert str(file) in str(error) or "wrong" not in expected


def test_there_is_a_fixture_for_each_rule_of_this_room():
    import re

    room = Path(__file__).parents[2] / "scripts" / "inside_torch" / "render"
    code = "".join(module.read_text() for module in room.glob("*.py"))
    rules = set(re.findall(r'BookError\(\s*"([a-z-]+)"', code)) | {"show-range", "fold-range"}
    # What is no fault of a page: the configuration of the extension and the absence of the lock.
    # An argument of the command line is none of a page either.
    # What does not match a source tree is told, and the page is built.
    # Nor is the file of the diagrams' sizes, which tests/site/test_every_page.py holds against the pages.
    rules -= {"render-language", "render-root", "pin-unlocked", "tour-article", "step-text", "diagram-sizes"}
    assert rules == {file.parent.name.removeprefix("render-") for file in PAGES}
