"""A small book to draw: its pins are locked against the installed release, its recordings are made here."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from inside_torch.book.recording import Frame, Output, PathRecording, Program, Results
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.verify import lock_all
from inside_torch.render import makeExtension
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from .small_book import ADDRESSES, EXECUTE, GRAPH, METHOD, PROGRAM

CURRICULUM = Path(__file__).parent.parent / "fixtures" / "book" / "docs" / "curriculum.yml"


@pytest.fixture(scope="session")
def book(tmp_path_factory) -> Path:
    """The root of the small book."""
    root = tmp_path_factory.mktemp("book")
    new, _ = lock_all(root, {address: (root, 1) for address in ADDRESSES}, Evidence.here())
    new.save()
    folder = root / "snippets" / "demo"
    (folder / "hole").mkdir(parents=True)
    (folder / "add.py").write_text(PROGRAM)
    (root / "docs").mkdir()
    (root / "docs" / "curriculum.yml").write_text(CURRICULUM.read_text())
    (folder / "kernel.cpp").write_text("// region sum\nint sum() { return 1; }\n// endregion\n")
    (folder / "torn.py").write_text("# region torn\nx = 1\n")
    (folder / "twice.py").write_text("# region a\nx = 1\n# endregion\n# region a\ny = 1\n# endregion\n")
    (folder / "hole" / "exercise.py").write_text("def f():\n    raise NotImplementedError\n")
    (folder / "hole" / "test_exercise.py").write_text("from exercise import f\n")
    (folder / "hole" / "solution.py").write_text('def f():\n    return "<b>"\n')
    program = Program.find(root, "demo/add")
    Output("tensor([2., 2.]) <script>alert(1)</script>\n").dump(program.output)
    Results(
        program="demo/add",
        program_digest=program.digest,
        date="2026-11-21",
        build="2.13.0+cpu",
        machine="a test",
        values={"ratio": 0.34567, "count": 12},
    ).dump(program.results)
    (folder / "curves.py").write_text('"""Prints a table."""\n')
    (folder / "grids.py").write_text('"""Prints two tables."""\n')
    Output("x:\ni  0  1\n0  0  1\n\nx.t():\ni  0\n0  0\n1  1\n").dump(folder / "grids.out")
    curves = Program.find(root, "demo/curves")
    Output("step  StepLR  Cosine\n0  0.1  0.1\n1  0.1  0.05\n2  0.01  -\n").dump(curves.output)
    Results(
        program="demo/curves",
        program_digest=curves.digest,
        date="2026-11-21",
        build="2.13.0+cpu",
        machine="a test",
        values={"linear/x": 2, "linear/y": 20.5, "norm/x": 1, "norm/y": 3},
    ).dump(curves.results)
    frames = [
        Frame(depth=0, language="python", symbol="Tensor.backward", full_symbol="", pin=METHOD),
        Frame(depth=1, language="python", symbol="_engine_run_backward", full_symbol="", pin=GRAPH),
        Frame(
            depth=2, language="cpp", symbol="torch::autograd::Engine::execute", full_symbol="", pin=EXECUTE
        ),
        Frame(depth=3, language="cpp", symbol="torch::autograd::Node::operator()", full_symbol="", thread=1),
        Frame(depth=4, language="cpp", symbol="at::{lambda#1}::_FUN", full_symbol=""),
    ]
    PathRecording(
        program="demo/add",
        program_digest=program.digest,
        release="2.13.0",
        build="cpu",
        machine="a test",
        frames=frames,
    ).dump(program.path)
    return root


class Drawn(BeautifulSoup):
    """A page as HTML and as a tree."""

    def __init__(self, html: str) -> None:
        super().__init__(html, "html.parser")
        self.html = html


@pytest.fixture(scope="session")
def converter(book):
    """Makes a converter like the site's; ``file`` is the page it is told to convert."""

    def make(file: Path | None = None, src_uri: str = "demo/page.md", **options: str) -> Markdown:
        md = Markdown(
            extensions=["attr_list", "tables", "pymdownx.highlight", "pymdownx.superfences", "admonition"],
            extension_configs={"pymdownx.highlight": {"line_spans": "__span"}},
        )
        md.registerExtensions([makeExtension(root=str(book), **options)], {})
        if file is not None:
            place = Treeprocessor(md)
            place.file = SimpleNamespace(abs_src_path=str(file), src_uri=src_uri)
            md.treeprocessors.register(place, "relpath", 0)
        return md

    return make


@pytest.fixture
def draw(converter):
    """Draws Markdown and gives back its tree."""

    def drawn(markdown: str, **options: str) -> Drawn:
        return Drawn(converter(**options).convert(markdown))

    return drawn
