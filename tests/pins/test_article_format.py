"""The addresses that the contributor's page gives as examples are true at the pinned release."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inside_torch.pins.lock import Evidence, resolve

PAGE = Path(__file__).parents[2] / "docs" / "en" / "contributing" / "article-format.md"
# In backticks, in a link's angle brackets, in quotes, or to the end of the line.
_ADDRESS = re.compile(r"(?<=`)src:[^`]+(?=`)|(?<=<)src:.+?(?=>\)`)|(?<=\")src:[^\"]+(?=\")|(?<= )src:[^`\n]+")
EXAMPLES = sorted(
    {
        address
        for address in _ADDRESS.findall(PAGE.read_text(encoding="utf-8"))
        if "…" not in address and "<path " not in address  # the form itself, not an address
    }
)


@pytest.fixture(scope="module")
def here():
    """The installed release, as `inside-torch show` reads it."""
    return Evidence.here(None)


def test_the_page_gives_every_form():
    assert len(EXAMPLES) >= 11
    for form in ("edge.h", "mul.Tensor", "(const Variable&, bool, bool)", "input_nr;", "add_Tensor", ", m)"):
        assert any(address.endswith(form) for address in EXAMPLES), form


@pytest.mark.parametrize("address", EXAMPLES)
def test_an_example_is_an_address(address, here):
    pin = resolve(address, here)
    assert str(pin.address) == address
    if "#" in address:
        assert pin.first == pin.last
