"""What the other tests here are parametrised over is really there: an empty book would pass them all."""

from __future__ import annotations

import pytest
from inside_torch.book.fence_kinds import PathFence
from inside_torch.book.language import ENGLISH
from inside_torch.book.whole_book import Book
from inside_torch.run.exercises import exercises
from inside_torch.run.probes import probes_of
from inside_torch.run.programs import programs_of

from . import test_every_probe
from .test_every_probe import with_devices
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
    assert page.of(PathFence)


def test_a_translation_is_run_where_it_differs(tmp_path, monkeypatch):
    fronts = {
        "en": "title: A page\nquestion: What is run?\nrequires: []\nminutes: 1\nhardware: cpu",
        "zh": "title: 页\nquestion: 什么？\ntranslated_from: 0123456789abcdef\n",
    }
    probes = [
        '```python {group="g"}\nx = 1\n```\n',
        '```python {group="g"}\nprint(x)\n#> 1\n```\n',
        "```python\nprint(2)\n#> 2\n```\n",
    ]
    for language, texts in {
        "en": probes,
        "zh": [probes[0].replace("x = 1", "x = 1  # 一"), *probes[1:]],
    }.items():
        page = tmp_path / "docs" / language / "module-00-x" / "a.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"---\n{fronts[language]}\n---\n\n" + "\n".join(texts), "utf-8")
    made = Book.load(tmp_path)
    monkeypatch.setattr(test_every_probe, "book", lambda: made)
    run = {
        page.language.code: [probe.line for probe, device in with_devices(page) if device == "cpu"]
        for page in made.pages.values()
    }
    # The second of the group differs by what is above it; the third is the original's.
    assert run == {"en": [9, 13, 18], "zh": [8, 12]}
