"""The server for writing: what was edited is what is seen, soon, and a mistake ends nothing."""

from __future__ import annotations

import itertools
import re
import shutil
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside_torch.site.serve import LiveSite
from inside_torch.site.server import SiteServer

from .conftest import PATIENCE
from .small_book import ARTICLE, edit, small_book


class Writing:
    """A book, and the bench that it is written at; ``said`` is what the bench printed."""

    def __init__(self, root: Path, *languages: str) -> None:
        self.root = small_book(root)
        self.said: list[str] = []
        self.bench = LiveSite(self.root, 0, languages, self.said.append)
        self.bench.server.start()
        self.bench.build()
        assert not self.bench.server.fault, self.said

    def get(self, address: str) -> str:
        with urllib.request.urlopen(self.bench.server.url + address) as answer:
            return answer.read().decode()

    def edit(self, name: str, old: str, new: str) -> None:
        edit(self.root, name, old, new)
        self.said.clear()
        self.bench.refresh({self.root / name})

    def put_back(self, files: dict[Path, bytes]) -> None:
        """Undo the edits since ``files`` were all that the book had."""
        now = {path: path.read_bytes() for path in self.files()}
        for path in now.keys() - files.keys():
            path.unlink()
        changed = {path for path in now.keys() | files.keys() if now.get(path) != files.get(path)}
        for path in changed & files.keys():
            path.write_bytes(files[path])
        self.bench.refresh(changed)
        assert not self.bench.server.fault, self.said

    def files(self) -> Iterator[Path]:
        """What the book is written in."""
        return (
            path
            for folder in ("docs/en", "docs/zh", "snippets")
            for path in (self.root / folder).rglob("*.*")
        )


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    """A book of the test's own, in English alone."""
    made = Writing(tmp_path / "book", "en")
    yield made
    made.bench.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writing]:
    """One in both languages for the tests that edit no configuration: the builders take long to begin."""
    made = Writing(tmp_path_factory.mktemp("kept") / "book", "en", "zh")
    yield made
    made.bench.close()


@pytest.fixture
def editing(kept: Writing) -> Iterator[Writing]:
    """The book of several tests, at its beginning."""
    files = {path: path.read_bytes() for path in kept.files()}
    yield kept
    kept.put_back(files)


PAGE = "module-01-sums/add/"


def test_one_edit_builds_one_page_in_both_languages(editing):
    untouched = (editing.bench.server.root / "en" / "index.html").stat().st_mtime_ns
    version = editing.bench.server.version
    editing.edit(ARTICLE, "One and one.", "Two and two.")
    assert "Two and two." in editing.get(f"en/{PAGE}")
    assert "Two and two." in editing.get(f"zh/{PAGE}")
    assert editing.bench.server.version == version + 1
    assert (editing.bench.server.root / "en" / "index.html").stat().st_mtime_ns == untouched
    assert [line.split(" in ")[0] for line in editing.said] == [
        "en: module-01-sums/add.md",
        "zh: module-01-sums/add.md",
    ]


def test_a_translation_is_built_for_its_language_alone(editing):
    editing.edit("docs/zh/index.md", "加法。", "减法。")
    assert "减法。" in editing.get("zh/")
    assert [line.split(" in ")[0] for line in editing.said] == ["zh: index.md"]


def test_a_mistake_is_shown_and_the_next_edit_mends_it(editing):
    server = editing.bench.server
    version = server.version
    editing.edit(ARTICLE, "One and one.", "```excerpt\nsrc:torch/nowhere.py::nothing\n```")
    assert "docs/en/module-01-sums/add.md:" in server.fault
    assert server.version == version
    assert "One and one." in editing.get(f"en/{PAGE}")
    editing.edit(ARTICLE, "```excerpt\nsrc:torch/nowhere.py::nothing\n```", "Three and three.")
    assert server.fault == ""
    assert "Three and three." in editing.get(f"en/{PAGE}")


def test_a_whole_build_shows_every_mistake_and_the_pages_without_one(editing):
    wrong = "```excerpt\nsrc:torch/nowhere.py::nothing\n```"
    edit(editing.root, ARTICLE, "One and one.", wrong)
    edit(editing.root, "docs/zh/index.md", "加法。", wrong)
    editing.bench.refresh({editing.root / "mkdocs.yml"})
    fault = editing.bench.server.fault
    assert "docs/en/module-01-sums/add.md:" in fault
    assert "docs/zh/index.md:" in fault
    assert "nowhere.py" in editing.get(f"en/{PAGE}")
    assert "0 probes." in editing.get("en/")


def test_a_change_of_the_servers_own_code_starts_it_again(editing, monkeypatch):
    started = []

    def another_program(program, arguments):
        started.append(arguments)
        raise SystemExit

    monkeypatch.setattr("os.execv", another_program)
    monkeypatch.setattr(editing.bench, "close", lambda: started.append("closed"))
    with pytest.raises(SystemExit):
        editing.bench.refresh({editing.root / "scripts" / "inside_torch" / "site" / "serve.py"})
    assert started[0] == "closed"
    assert started[1][1:3] == ["-m", "inside_torch.cli"]


def test_code_of_ours_that_cannot_be_loaded_is_shown_and_ends_nothing(editing, monkeypatch, tmp_path):
    broken = tmp_path / "broken"
    (broken / "jinja2").mkdir(parents=True)  # what the builders load first
    (broken / "jinja2" / "__init__.py").write_text("this is no Python\n")
    monkeypatch.syspath_prepend(broken)
    changed = {editing.root / "scripts" / "inside_torch" / "render" / "elements.py"}
    editing.bench.refresh(changed)
    assert "SyntaxError" in editing.bench.server.fault
    assert "One and one." in editing.get(f"en/{PAGE}")
    (broken / "jinja2" / "__init__.py").unlink()
    (broken / "jinja2").rmdir()
    editing.bench.refresh(changed)
    assert editing.bench.server.fault == ""


def test_a_dead_link_is_said_and_stops_nothing(editing):
    editing.edit(ARTICLE, "One and one.", "One [and](#nothing) one.")
    assert any("#nothing" in line for line in editing.said)
    assert "#nothing" in editing.get(f"en/{PAGE}")


def test_a_new_page_and_a_new_configuration_build_everything(writing):
    (writing.root / "docs" / "en" / "module-01-sums" / "carry.md").write_text("# Carry {#carry}\n")
    edit(
        writing.root,
        "mkdocs.yml",
        "- module-01-sums/add.md",
        "- module-01-sums/add.md\n- module-01-sums/carry.md",
    )
    writing.bench.refresh({writing.root / "docs" / "en" / "module-01-sums" / "carry.md"})
    assert "Carry" in writing.get("en/module-01-sums/carry/")
    edit(writing.root, "mkdocs.yml", "site_name: Inside Torch", "site_name: Inside Sums")
    writing.bench.refresh({writing.root / "mkdocs.yml"})
    assert "Inside Sums" in writing.get("en/")


def test_a_whole_build_that_fails_leaves_the_site_as_it_was(writing):
    writing.edit("mkdocs.yml", "name: material", "name: granite")
    assert "granite" in writing.bench.server.fault
    assert "One and one." in writing.get(f"en/{PAGE}")
    writing.edit("mkdocs.yml", "name: granite", "name: material")
    assert writing.bench.server.fault == ""


def test_a_changed_snippet_builds_the_pages_that_name_its_folder(editing):
    snippet = editing.root / "snippets" / "module-01-sums" / "add" / "one.py"
    editing.edit(ARTICLE, "One and one.", "See `module-01-sums/add`.")
    editing.said.clear()
    editing.bench.refresh({snippet})
    assert [line.split(" in ")[0] for line in editing.said] == [
        "en: module-01-sums/add.md",
        "zh: module-01-sums/add.md",
    ]
    editing.said.clear()
    editing.bench.refresh({editing.root / "snippets" / "module-09-none" / "x" / "one.py"})
    assert not editing.said


def test_an_edit_anywhere_in_a_program_shows_on_its_page(editing):
    snippet = editing.root / "snippets" / "module-01-sums" / "add" / "one.py"
    snippet.parent.mkdir(parents=True)
    snippet.write_text('"""Adds."""\n\n# region sum\ntotal = 1 + 1\n# endregion\n\nprint(total)\n')
    whole = "```program\nmodule-01-sums/add/one.py\n```"
    part = "```program\nmodule-01-sums/add/one.py\nsection: sum\n```"
    editing.edit(ARTICLE, "One and one.", f"{whole}\n\n{part}")
    name = "snippets/module-01-sums/add/one.py"
    for old, new in (("Adds.", "Sums."), ("1 + 1", "2 + 2"), ("print(total)", "print(-total)")):
        editing.edit(name, old, new)
        text = re.sub(r"<[^>]+>", "", editing.get(f"en/{PAGE}"))
        assert new in text and old not in text
    # A line above the section moves the numbers of the lines in it.
    before = editing.get(f"en/{PAGE}")
    editing.edit(name, "Sums.", "Sums.\n\nSlowly.\n")
    assert editing.get(f"en/{PAGE}") != before and "Slowly." in editing.get(f"en/{PAGE}")


def test_an_edited_style_is_copied_and_nothing_built(editing):
    theme = editing.root / "docs" / "theme"
    ours = theme.resolve()
    theme.unlink()
    shutil.copytree(ours, theme)
    style = theme / "assets" / "site.css"
    style.write_text("body { color: red }\n")
    generation, version = editing.bench.generation, editing.bench.server.version
    editing.said.clear()
    editing.bench.refresh({style})
    for language in ("en", "zh"):
        assert editing.get(f"{language}/assets/site.css") == "body { color: red }\n"
    assert editing.said == ["assets/site.css"]
    assert (editing.bench.generation, editing.bench.server.version) == (generation, version + 1)
    shutil.rmtree(theme)
    theme.symlink_to(ours)
    editing.bench.refresh({theme / "assets" / "gone.css"})  # one that is gone: everything is built
    assert editing.bench.generation == generation + 1


def test_an_open_page_shows_an_edit(browser, editing):
    """How soon, which hangs on what else the machine does, is measured and bounded in Figures."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{editing.bench.server.url}en/{PAGE}")
    page.wait_for_load_state("load")
    texts = ["One and one.", "Two and two.", "Three and three.", "Four and four."]
    for old, new in itertools.pairwise(texts):
        editing.edit(ARTICLE, old, new)
        page.wait_for_selector(f"text={new}")
    editing.edit(ARTICLE, texts[-1], "```excerpt\nsrc:torch/nowhere.py::nothing\n```")
    page.wait_for_selector("[role=alert]")
    assert "add.md" in page.inner_text("[role=alert]")
    page.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[SiteServer]:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "site" / "zh").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("<body>home</body>")
    (tmp_path / "site" / "404.html").write_text("<body>none</body>")
    (tmp_path / "site" / "zh" / "404.html").write_text("<body>没有</body>", "utf-8")
    server = SiteServer(tmp_path / "site", 0).start()
    yield server
    server.close()


@pytest.mark.parametrize(
    ("address", "status", "body"),
    [
        ("", 200, "home"),
        ("zh", 404, "没有"),  # by way of zh/
        ("zh/x/y/", 404, "没有"),
        ("x", 404, "none"),
        ("../secret.txt", 404, "none"),
        ("%2e%2e/secret.txt", 404, "none"),
        ("zh/..%2f..%2fsecret.txt", 404, "none"),
    ],
)
def test_the_server_serves_the_site_and_nothing_else(served, address, status, body):
    try:
        answer = urllib.request.urlopen(served.url + address)
    except urllib.error.HTTPError as error:
        answer = error
    assert answer.status == status
    assert body in answer.read().decode()


def test_a_request_that_begins_with_no_slash_leads_nowhere_else(served):
    for path in ("../secret.txt", "%2e%2e/secret.txt", "zh/../../secret.txt"):
        with (
            socket.create_connection(served.server_address) as connection,
            connection.makefile("rwb") as pipe,
        ):
            pipe.write(f"GET {path} HTTP/1.0\r\n\r\n".encode())
            pipe.flush()
            assert b" 404 " in pipe.readline(), path


@pytest.mark.parametrize(("fault", "said"), [(BrokenPipeError(), False), (ZeroDivisionError(), True)])
def test_a_reader_who_leaves_is_no_fault(served, capsys, fault, said):
    try:
        raise fault
    except type(fault):
        served.handle_error(None, ("127.0.0.1", 9))
    assert (type(fault).__name__ in capsys.readouterr().err) == said
