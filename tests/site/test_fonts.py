"""The faces come with the site: a page is laid out alike whatever fonts the reader's system has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from inside_torch.errors import BookError
from inside_torch.site import fonts
from inside_torch.site.browser import find_browser
from inside_torch.site.npm import ensure_npm

from .conftest import PATIENCE
from .shown import code_and_text

ROOT = Path(__file__).parents[2]
ARTICLE = "en/module-02-autograd/running-backward/"
HAN = {*range(0x2E80, 0xA000), *range(0xFF00, 0xFFF0)}

# Opens each page and prints, for each width, its height and the size of every diagram; of the last one
# without our faces too.
MEASURE = """
import json, sys
from playwright.sync_api import sync_playwright
program, site, patience, *addresses = sys.argv[1:]
sizes = {}
with sync_playwright() as playwright:
    flags = ["--headless", "--no-sandbox", "--disable-gpu"]
    browser = playwright.chromium.launch(executable_path=program, args=flags)
    for address, faces in [*((address, "") for address in addresses), (addresses[-1], " without faces")]:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(1000 * float(patience))
        if faces:
            page.route("**/*.woff2", lambda route: route.abort())
        page.goto(site + address)
        page.evaluate("dispatchEvent(new Event('drawdiagrams'))")
        while not page.evaluate(
            "window.component$ !== undefined && [...document.querySelectorAll('div.mermaid')]"
            ".every((host) => ['drawn', 'failed'].includes(host.dataset.diagram))"
        ):
            page.wait_for_timeout(50)
        for width in (1440, 1024, 390):
            page.set_viewport_size({"width": width, "height": 900})
            while page.evaluate("innerWidth") != width:
                page.wait_for_timeout(50)
            # Asked at each width: a run has been seen in which the page stood in the system's font after the
            # second, though the faces had been ready at the first.
            held = page.evaluate(
                "Promise.allSettled([...document.fonts].map((face) => face.load()))"
                ".then(() => new Promise((drawn) =>"
                " requestAnimationFrame(() => requestAnimationFrame(drawn))))"
                ".then(() => [...document.fonts].map((face) => face.status))"
            )
            assert set(held) == {"error" if faces else "loaded"}, (address, width, held)
            sizes[f"{address} {width}{faces}"] = page.evaluate(
                "[document.documentElement.scrollHeight, ...[...document.querySelectorAll('div.mermaid svg')]"
                ".flatMap((svg) => [svg.getBoundingClientRect().width, svg.getBoundingClientRect().height])]"
            )
        page.close()
    browser.close()
print(json.dumps(sizes))
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


@pytest.fixture(scope="module")
def folder() -> Path:
    return fonts.ensure_fonts(ROOT, ensure_npm(ROOT))


def measured(site, *addresses: str, **environment: str) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(find_browser()), site.url, str(PATIENCE), *addresses],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def one_font(folder: Path, face: Path) -> str:
    """A configuration of fontconfig that knows a single font."""
    (folder / "fonts").mkdir()
    (folder / "fonts" / face.name).symlink_to(face)
    config = folder / "fonts.conf"
    config.write_text(FONTS.format(fonts=folder / "fonts", cache=folder / "cache"), "utf-8")
    return str(config)


def test_pages_and_diagrams_have_the_same_sizes_on_a_system_with_another_font(site, tmp_path, browser):
    # Wide and heavy, nothing like a face for text.
    config = one_font(tmp_path, ensure_npm(ROOT) / "source-code-pro" / "TTF" / "SourceCodePro-Black.ttf")
    addresses = (ARTICLE, "en/")
    here = measured(site, *addresses)
    there = measured(site, *addresses, FONTCONFIG_FILE=config)
    # Without our faces they differ: what is asked below can fail.
    bare = {place: here.pop(place) for place in list(here) if place.endswith("without faces")}
    assert bare["en/ 1024 without faces"] != there["en/ 1024 without faces"]
    assert len(here) == 6 and len(here[f"{ARTICLE} 1024"]) >= 5
    for place, sizes in here.items():
        assert there[place] == pytest.approx(sizes, abs=1), place


def test_every_character_of_a_page_is_in_its_face(site, folder):
    from fontTools.ttLib import TTFont

    held = {face.name: set(TTFont(folder / f"{face.name}.woff2").getBestCmap()) for face in fonts.FACES}
    shown: dict[str, set[int]] = {"text": set(), "code": set()}
    for page in site.folder.rglob("*.html"):
        code, text = code_and_text(page.read_text("utf-8"))
        shown["code"].update(map(ord, code))
        shown["text"].update(map(ord, text))
    assert ord("→") in shown["text"] and ord("{") in shown["code"]
    for face, letters in shown.items():
        missing = letters - held[face] - HAN - {ord("\n"), ord("\t")}
        assert not missing, (face, [chr(code) for code in missing])


def test_the_faces_are_preloaded_and_come_from_the_site(tabs):
    tab = tabs()
    asked = []
    tab.page.on("request", lambda request: asked.append(request))
    page = tab.open(ARTICLE)
    page.evaluate("document.fonts.ready.then(() => 0)")
    loaded = {request.url.rpartition("/")[2] for request in asked if request.resource_type == "font"}
    assert {"text.woff2", "code.woff2", "title.woff2"} <= loaded <= {f"{f.name}.woff2" for f in fonts.FACES}
    hints = page.locator("link[rel=preload][as=font]").evaluate_all("(all) => all.map((link) => link.href)")
    assert {hint.rpartition("/")[2] for hint in hints} == {"text.woff2", "code.woff2", "title.woff2"}
    named = page.evaluate(
        "['article p:not([class])', 'article h1', 'article pre > code', '.nodeLabel'].map((selector) =>"
        " getComputedStyle(document.querySelector(selector)).fontFamily.split(',')[0].replaceAll('\"', ''))"
    )
    assert named == ["Inside Torch Text", "Inside Torch Title", "Inside Torch Code", "Inside Torch Text"]


def test_a_changed_face_has_a_name_of_its_own_and_keeps_its_rights(folder):
    from fontTools.ttLib import TTFont

    for face in fonts.FACES:
        names = {name.nameID: str(name) for name in TTFont(folder / f"{face.name}.woff2")["name"].names}
        assert "Adobe" in names[0] and "scripts.sil.org/OFL" in names[14]
        called = [text for number, text in names.items() if number not in (0, 7, 13, 14)]
        assert called and not any("Source" in text for text in called)


def test_the_faces_are_made_once_and_weigh_little(folder, tmp_path):
    assert fonts.ensure_fonts(ROOT, ensure_npm(ROOT)) == folder
    sizes = {face.stem: face.stat().st_size for face in folder.iterdir()}
    assert sizes.keys() == {face.name for face in fonts.FACES}
    assert max(sizes.values()) < 40_000 and sum(sizes.values()) < 150_000


def test_a_package_without_its_font_is_named(tmp_path):
    (tmp_path / "scripts" / "npm").mkdir(parents=True)
    (tmp_path / "scripts" / "npm" / "package-lock.json").write_text("{}")
    with pytest.raises(BookError, match=r"SourceSans3VF-Upright\.ttf"):
        fonts.ensure_fonts(tmp_path, tmp_path)
