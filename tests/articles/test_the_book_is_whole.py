"""What the other tests here are parametrised over is really there: an empty book would pass them all."""

from __future__ import annotations

import pytest
from inside_torch.book.language import CHINESE, ENGLISH
from inside_torch.run.exercises import exercises
from inside_torch.run.probes import probes_of
from inside_torch.run.programs import programs_of

from .the_book import ROOT, book

AUTOGRAD = [
    f"module-02-autograd/{article}"
    for article in (
        "recording-the-graph",
        "running-backward",
        "saved-tensors",
        "custom-functions",
        "build-an-autograd-engine",
    )
]


@pytest.mark.parametrize("slug", AUTOGRAD)
def test_article_is_found_with_what_it_runs(slug):
    page = book().page(ENGLISH, f"{slug}.md")
    assert page is not None, f"no {slug}"
    assert len(probes_of(page)) >= 4
    assert programs_of(page)
    folder = ROOT / "snippets" / slug
    assert any(exercise.is_relative_to(folder) for exercise in exercises(book()))
    assert [block for block in page.of_kind("path") if block.body]


def test_a_translation_is_run_too():
    page = book().page(CHINESE, "module-02-autograd/running-backward.md")
    assert page is not None
    assert [probe.id.split("/")[0] for probe in probes_of(page)][:1] == ["zh"]
