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

    def __init__(self, root: Path) -> None:
        self.root = small_book(root)
        self.said: list[str] = []
        self.bench = LiveSite(self.root, 0, ("en", "zh"), self.said.append)
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


@pytest.fixture
def writing(tmp_path: Path) -> Iterator[Writing]:
    made = Writing(tmp_path / "book")
    yield made
    made.bench.close()


PAGE = "module-01-sums/add/"


def test_one_edit_builds_one_page_in_both_languages(writing):
    untouched = (writing.bench.server.root / "en" / "index.html").stat().st_mtime_ns
    version = writing.bench.server.version
    writing.edit(ARTICLE, "One and one.", "Two and two.")
    assert "Two and two." in writing.get(f"en/{PAGE}")
    assert "Two and two." in writing.get(f"zh/{PAGE}")
    assert writing.bench.server.version == version + 1
    assert (writing.bench.server.root / "en" / "index.html").stat().st_mtime_ns == untouched
    assert [line.split(" in ")[0] for line in writing.said] == [
        "en: module-01-sums/add.md",
        "zh: module-01-sums/add.md",
    ]


def test_a_translation_is_built_for_its_language_alone(writing):
    writing.edit("docs/zh/index.md", "加法。", "减法。")
    assert "减法。" in writing.get("zh/")
    assert [line.split(" in ")[0] for line in writing.said] == ["zh: index.md"]


def test_a_mistake_is_shown_and_the_next_edit_mends_it(writing):
    server = writing.bench.server
    version = server.version
    writing.edit(ARTICLE, "One and one.", "```excerpt\nsrc:torch/nowhere.py::nothing\n```")
    assert "docs/en/module-01-sums/add.md:" in server.fault
    assert server.version == version
    assert "One and one." in writing.get(f"en/{PAGE}")
    writing.edit(ARTICLE, "```excerpt\nsrc:torch/nowhere.py::nothing\n```", "Three and three.")
    assert server.fault == ""
    assert "Three and three." in writing.get(f"en/{PAGE}")


def test_a_whole_build_shows_every_mistake_and_the_pages_without_one(writing):
    wrong = "```excerpt\nsrc:torch/nowhere.py::nothing\n```"
    edit(writing.root, ARTICLE, "One and one.", wrong)
    edit(writing.root, "docs/zh/index.md", "加法。", wrong)
    writing.bench.refresh({writing.root / "mkdocs.yml"})
    fault = writing.bench.server.fault
    assert "docs/en/module-01-sums/add.md:" in fault
    assert "docs/zh/index.md:" in fault
    assert "nowhere.py" in writing.get(f"en/{PAGE}")
    assert "0 probes." in writing.get("en/")


def test_a_change_of_the_servers_own_code_starts_it_again(writing, monkeypatch):
    started = []
    monkeypatch.setattr("os.execv", lambda program, arguments: started.append(arguments))
    monkeypatch.setattr(writing.bench, "close", lambda: started.append("closed"))
    writing.bench.refresh({writing.root / "scripts" / "inside_torch" / "site" / "serve.py"})
    assert started[0] == "closed"
    assert started[1][1:3] == ["-m", "inside_torch.cli"]
    monkeypatch.undo()


def test_code_of_ours_that_cannot_be_loaded_is_shown_and_ends_nothing(writing, monkeypatch, tmp_path):
    broken = tmp_path / "broken"
    (broken / "jieba").mkdir(parents=True)  # what the builders load first
    (broken / "jieba" / "__init__.py").write_text("this is no Python\n")
    monkeypatch.syspath_prepend(broken)
    changed = {writing.root / "scripts" / "inside_torch" / "render" / "elements.py"}
    writing.bench.refresh(changed)
    assert "SyntaxError" in writing.bench.server.fault
    assert "One and one." in writing.get(f"en/{PAGE}")
    (broken / "jieba" / "__init__.py").unlink()
    (broken / "jieba").rmdir()
    writing.bench.refresh(changed)
    assert writing.bench.server.fault == ""


def test_a_dead_link_is_said_and_stops_nothing(writing):
    writing.edit(ARTICLE, "One and one.", "One [and](#nothing) one.")
    assert any("#nothing" in line for line in writing.said)
    assert "#nothing" in writing.get(f"en/{PAGE}")


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


def test_a_changed_snippet_builds_the_pages_that_name_its_folder(writing):
    snippet = writing.root / "snippets" / "module-01-sums" / "add" / "one.py"
    writing.edit(ARTICLE, "One and one.", "See `module-01-sums/add`.")
    writing.said.clear()
    writing.bench.refresh({snippet})
    assert [line.split(" in ")[0] for line in writing.said] == [
        "en: module-01-sums/add.md",
        "zh: module-01-sums/add.md",
    ]
    writing.said.clear()
    writing.bench.refresh({writing.root / "snippets" / "module-09-none" / "x" / "one.py"})
    assert not writing.said


def test_an_edit_anywhere_in_a_program_shows_on_its_page(writing):
    snippet = writing.root / "snippets" / "module-01-sums" / "add" / "one.py"
    snippet.parent.mkdir(parents=True)
    snippet.write_text('"""Adds."""\n\n# region sum\ntotal = 1 + 1\n# endregion\n\nprint(total)\n')
    whole = "```program\nmodule-01-sums/add/one.py\n```"
    part = "```program\nmodule-01-sums/add/one.py\nsection: sum\n```"
    writing.edit(ARTICLE, "One and one.", f"{whole}\n\n{part}")
    name = "snippets/module-01-sums/add/one.py"
    for old, new in (("Adds.", "Sums."), ("1 + 1", "2 + 2"), ("print(total)", "print(-total)")):
        writing.edit(name, old, new)
        text = re.sub(r"<[^>]+>", "", writing.get(f"en/{PAGE}"))
        assert new in text and old not in text
    # A line above the section moves the numbers of the lines in it.
    before = writing.get(f"en/{PAGE}")
    writing.edit(name, "Sums.", "Sums.\n\nSlowly.\n")
    assert writing.get(f"en/{PAGE}") != before and "Slowly." in writing.get(f"en/{PAGE}")


def test_an_edited_style_is_copied_and_nothing_built(writing):
    theme = writing.root / "docs" / "theme"
    ours = theme.resolve()
    theme.unlink()
    shutil.copytree(ours, theme)
    style = theme / "assets" / "site.css"
    style.write_text("body { color: red }\n")
    generation, version = writing.bench.generation, writing.bench.server.version
    writing.said.clear()
    writing.bench.refresh({style})
    for language in ("en", "zh"):
        assert writing.get(f"{language}/assets/site.css") == "body { color: red }\n"
    assert writing.said == ["assets/site.css"]
    assert (writing.bench.generation, writing.bench.server.version) == (generation, version + 1)
    style.unlink()
    writing.bench.refresh({style})  # one that is gone: everything is built
    assert writing.bench.generation == generation + 1


def test_an_open_page_shows_an_edit(browser, writing):
    """How soon, which hangs on what else the machine does, is measured and bounded in Figures."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{writing.bench.server.url}en/{PAGE}")
    page.wait_for_load_state("load")
    texts = ["One and one.", "Two and two.", "Three and three.", "Four and four."]
    for old, new in itertools.pairwise(texts):
        writing.edit(ARTICLE, old, new)
        page.wait_for_selector(f"text={new}")
    writing.edit(ARTICLE, texts[-1], "```excerpt\nsrc:torch/nowhere.py::nothing\n```")
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
