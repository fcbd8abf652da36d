"""The build: whole or not at all, the same twice, and clear about what is wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup
from inside_torch.book.recording import Frame, Output, PathRecording, Program
from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT
from inside_torch.site.npm import ensure_npm
from inside_torch.site.publish import build_site, site_url

from .small_book import ARTICLE, ROOT, edit, small_book

URL = "http://127.0.0.1:8000/"


def files(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return small_book(tmp_path / "book")


def show_what_is_dry(book: Path) -> None:
    """The dry GPU's page, and an article with a probe, an output and a path that were made on it."""
    (book / "docs/en/contributing").mkdir()
    (book / "docs/en/contributing/dry-gpu.md").write_text("# Dry {#dry}\n\n## Real {#conclusions}\n\nYes.\n")
    for name in ("mkdocs.yml", "docs/mkdocs.zh.yml"):
        edit(book, name, "- notice.md\n", "- notice.md\n- contributing/dry-gpu.md\n")
    dry = 'devices="dry" why="it is the host"'
    fences = f'```python {{id="x" {dry}}}\nprint(1)\n#> 1\n```\n\n'
    fences += "```output\ndemo/one.py\ndevices: dry\nwhy: it is the host\n```\n\n"
    fences += "".join(f"```path\ndemo/one\nview: {view}\n```\n\n" for view in ("list", "sequence"))
    edit(book, ARTICLE, "One and one.\n\n", f"One and one.\n\n{fences}")
    program = Program("demo/one", book / "snippets/demo/one.py")
    program.source.parent.mkdir(parents=True)
    program.source.write_text("def path():\n    pass\n")
    Output("1\n").dump(program.output)
    frames = [Frame(depth=0, language="python", symbol="add", full_symbol="")]
    told = {"program": "demo/one", "program_digest": program.digest, "release": "2.13.0", "build": "cu130"}
    PathRecording(**told, machine="a test", device="dry", frames=frames).dump(program.path)


CHINESE = "一行，\n两行。\n[三行](module-01-sums/add.md)\n**四行** one\ntwo。"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site for the tests that only read it: most of what a small build takes is its beginning."""
    book = small_book(tmp_path_factory.mktemp("built") / "book")
    show_what_is_dry(book)
    edit(book, "docs/zh/index.md", "加法。", CHINESE)
    assert sorted(build_site(book, book / ".build" / "site", strict=True, url=URL)) == ["en", "zh"]
    return book / ".build" / "site"


def test_two_builds_of_one_book_are_the_same(built):
    book, out = built.parents[1], built
    first = files(out)
    assert {
        "index.html",
        "404.html",
        "en/index.html",
        "zh/index.html",
        "en/assets/mermaid.min.js",
    } <= first.keys()
    build_site(book, out, strict=True, url=URL)
    assert files(out) == first
    assert sorted(path.name for path in out.parent.iterdir()) == ["site", "site.pages"]


def test_the_pages_hold_what_the_templates_add(built):
    assert "<p>1 probes.</p>" in (built / "en" / "index.html").read_text("utf-8")
    assert "Redistribution and use in source and binary forms" in (
        built / "en" / "notice" / "index.html"
    ).read_text("utf-8")
    article = (built / "en" / "module-01-sums" / "add" / "index.html").read_text("utf-8")
    assert "What is a sum?" in article
    assert "5 minutes" in article
    assert "约 5 分钟" in (built / "zh" / "module-01-sums" / "add" / "index.html").read_text("utf-8")
    # mermaid2's own pass, which would add its script to the page, is left out.
    assert "mermaid.initialize" not in article
    # Code is coloured, and what has the colour of the block has no mark.
    marks = re.findall(r'<span class="([a-z]\w?)">', article)
    assert marks and not {"n", "p", "w"} & set(marks)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sitemap_names_each_page_in_both_languages(built, language):
    found = (built / language / "sitemap.xml").read_text("utf-8")
    page = "module-01-sums/add/"
    assert f"<loc>{URL}{language}/{page}</loc>" in found
    for other in ("en", "zh"):
        assert f'<xhtml:link rel="alternate" hreflang="{other}" href="{URL}{other}/{page}"/>' in found


def test_a_page_leads_to_itself_in_the_other_language(built):
    for language in ("en", "zh"):
        for page in ("", "module-01-sums/add/"):
            text = (built / language / page / "index.html").read_text("utf-8")
            tree = BeautifulSoup(text, "html.parser")
            for links in (tree.select("head link[hreflang]"), tree.select("a.md-select__link")):
                found = {link["hreflang"]: urljoin(f"{URL}{language}/{page}", link["href"]) for link in links}
                assert found == {other: f"{URL}{other}/{page}" for other in ("en", "zh")}
            assert all("alternate" in link["rel"] for link in tree.select("head link[hreflang]"))


def test_each_page_lies_beside_its_plain_text_and_a_list_names_them(built):
    copy = (built / "en" / "module-01-sums" / "add.md").read_text("utf-8")
    assert copy.startswith("# Add\n\n> What is a sum?\n\nOne and one.\n")
    listed = (built / "en" / "llms.txt").read_text("utf-8")
    for link in re.findall(r"\]\(([^)]+)\)", listed):
        assert (built / "en" / link).is_file()
    tour = json.loads((built / "zh" / "module-01-sums" / "add.tour").read_text("utf-8"))
    assert tour["title"] == "Inside Torch: Add" and tour["ref"] == COMMIT
    page = (built / "en" / "module-01-sums" / "add" / "index.html").read_text("utf-8")
    assert 'href="../add.tour" download' in page
    whole = (built / "en" / "llms-full.txt").read_text("utf-8")
    add = (built / "en" / "module-01-sums" / "add.md").read_text("utf-8").strip()
    assert whole.count(f"<!-- module-01-sums/add.md -->\n\n{add}\n") == 1
    assert "(module-01-sums/add.md)" in listed and "求和" in (built / "zh" / "llms.txt").read_text("utf-8")


def test_the_mark_of_the_dry_gpu_leads_to_what_may_be_concluded(built):
    """Of a probe, of what a program prints and of a path; on the page and in its copy, in both languages."""
    for language, said in (("en", "computes nothing"), ("zh", "不做计算")):
        page = BeautifulSoup(
            (built / language / "module-01-sums/add/index.html").read_text("utf-8"), "html.parser"
        )
        marks = [link for link in page.select(".it-caption a") if said in link.text]
        assert [link["href"] for link in marks] == ["../../contributing/dry-gpu/#conclusions"] * 4
        copy = (built / language / "module-01-sums/add.md").read_text("utf-8")
        links = re.findall(r"\[([^]]+)\]\((\.\./contributing/dry-gpu\.md)#conclusions\)", copy)
        assert [said in words for words, _ in links] == [True] * 4
        assert (built / language / "contributing/dry-gpu.md").is_file()


def test_a_page_with_no_translation_says_so_and_its_pencil_leads_to_the_english_file(built):
    page = (built / "zh/module-01-sums/add/index.html").read_text("utf-8")
    tree = BeautifulSoup(page, "html.parser")
    assert tree.select_one(".md-content .admonition")
    assert tree.select_one("a[rel~=edit]")["href"].endswith("/edit/main/docs/en/module-01-sums/add.md")


def test_a_dead_link_stops_a_strict_build_and_the_old_site_stays(book, built):
    out = book / ".build" / "site"
    shutil.copytree(built, out)
    before = files(out)
    edit(book, ARTICLE, "One and one.", "[A](two.md), [b](#here) and [c](../index.md#there).")
    with pytest.raises(BookError, match="3 faults") as error:
        build_site(book, out, strict=True, url=URL)
    for said in ("two.md", "#here", "#there", "module-01-sums/add.md"):
        assert said in str(error.value)
    assert files(out) == before
    assert not out.with_name("site.new").exists()
    reports = build_site(book, out, strict=False, url=URL)
    assert len(reports["en"].warnings) == 3


def test_a_page_that_nothing_leads_to_stops_a_strict_build(book):
    (book / "docs" / "en" / "lost.md").write_text("# Lost {#lost}\n")
    with pytest.raises(BookError, match=r"lost\.md"):
        build_site(book, book / "site", strict=True, languages=("en",), url=URL)


def test_an_error_names_the_file_that_its_author_knows_and_the_line(book):
    edit(book, ARTICLE, "One and one.\n", "One and one.\n\n```excerpt\nsrc:torch/nowhere.py::nothing\n```\n")
    line = (book / ARTICLE).read_text("utf-8").split("\n").index("```excerpt") + 1
    for languages in (("en",), ("zh",)):
        with pytest.raises(BookError) as error:
            build_site(book, book / "site", strict=True, languages=languages, url=URL)
        found = re.search(rf"{re.escape(ARTICLE)}:(\d+): ", str(error.value))
        assert found, error.value
        assert line <= int(found[1]) <= line + 1
        assert "Traceback" not in str(error.value)


def test_a_fault_of_the_configuration_is_told_in_words(book):
    edit(book, "mkdocs.yml", "name: material", "name: granite")
    with pytest.raises(BookError, match="granite") as error:
        build_site(book, book / "site", strict=True, languages=("en",), url=URL)
    assert "Traceback" not in str(error.value)


def test_where_the_site_will_be_served(monkeypatch):
    monkeypatch.delenv("INSIDE_TORCH_SITE_URL", raising=False)
    assert site_url(ROOT).startswith("https://")
    monkeypatch.setenv("INSIDE_TORCH_SITE_URL", "https://example.org/book/")
    assert site_url(ROOT) == "https://example.org/book/"


def test_the_npm_lock_names_versions_and_digests_but_no_registry():
    lock = json.loads((ROOT / "scripts" / "npm" / "package-lock.json").read_text("utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert {"node_modules/mermaid", "node_modules/axe-core"} <= packages.keys()
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name
    wanted = json.loads((ROOT / "scripts" / "npm" / "package.json").read_text("utf-8"))
    for name, version in (wanted["dependencies"] | wanted["devDependencies"]).items():
        assert packages[f"node_modules/{name}"]["version"] == version
    assert f"version: {wanted['dependencies']['mermaid']}" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_npm_is_asked_once(monkeypatch):
    modules = ensure_npm(ROOT)
    monkeypatch.setattr("inside_torch.site.npm.npm", lambda *_: pytest.fail("npm was run again"))
    assert ensure_npm(ROOT) == modules
    assert (modules / "mermaid" / "dist" / "mermaid.min.js").stat().st_size > 1_000_000


def test_the_two_configurations_have_the_same_pages():
    names = {}
    for language, file in (("en", "mkdocs.yml"), ("zh", "docs/mkdocs.zh.yml")):
        names[language] = re.findall(r"^ +- ([\w/-]+\.md)$", (ROOT / file).read_text("utf-8"), re.M)
    assert names["en"] == names["zh"]
    assert len(names["en"]) > 10


def test_chinese_lines_are_joined_without_a_blank(built):
    page = (built / "zh" / "index.html").read_text("utf-8")
    assert re.search(r"<p>一行，两行。<a[^>]*>三行</a><strong>四行</strong> one\ntwo。</p>", page)
