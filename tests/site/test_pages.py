"""What a reader meets: on every kind of page, at every width, in both palettes and both languages."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from urllib.parse import urljoin

import pytest
from inside_torch.book.whole_book import Book

from .conftest import until
from .looks import (
    accessible,
    contrast,
    contrasted,
    drawn,
    legible,
    no_sideways_scroll,
    scheme,
    spoiled,
    style,
    too_wide,
)

ROOT = Path(__file__).parents[2]
ARTICLE = "en/module-02-autograd/running-backward/"
#: One with a sequence diagram.
SEQUENCE = "en/module-02-autograd/build-an-autograd-engine/"
OTHER = "en/module-02-autograd/recording-the-graph/"
ARTICLES = sorted(
    page.relative_to(ROOT / "docs").with_suffix("").as_posix()
    for page in (ROOT / "docs" / "en").glob("module-*/*.md")
    if page.stem != "index"
)

# What Mermaid has against a diagram; empty where it accepts it.
PARSE = "(source) => mermaid.parse(source).then(() => '', (error) => error.message)"


def test_contrast_is_that_of_wcag(visit):
    page = visit("en/")
    assert contrast(page, "rgb(0,0,0)", "rgb(255,255,255)") == pytest.approx(21)
    assert contrast(page, "rgb(119,119,119)", "rgb(255,255,255)") == pytest.approx(4.48, abs=0.01)


def test_a_request_elsewhere_is_seen(tabs):
    tab = tabs(bypass_csp=True)  # the page's own policy would not let it out
    page = tab.open("en/")
    with page.expect_request("http://127.0.0.2:9/"):
        page.evaluate("fetch('http://127.0.0.2:9/').catch(() => {})")
    assert any("a request to http://127.0.0.2:9/" in fault for fault in tab.faults)
    tab.faults.clear()


# --- diagrams


def test_a_label_that_cannot_be_told_from_its_box_is_seen(visit):
    page = visit(ARTICLE)
    legible(page)
    label = page.locator("div.mermaid .nodeLabel").first
    with spoiled(label, "(label) => label.style.color = '#777'"), pytest.raises(AssertionError):
        legible(page)


def test_a_page_that_is_loaded_in_the_dark_is_dark_and_the_button_changes_it(tabs):
    page = tabs(scheme="dark").open(ARTICLE)
    assert scheme(page) == "dark"
    count = drawn(page)
    assert count >= 2
    legible(page)
    colour = style(page, "div.mermaid .nodeLabel", "color")
    for _ in range(3):  # system, light, dark: as the button goes round
        page.locator("form[data-md-component=palette] label:not([hidden])").click()
        if scheme(page) == "light":
            break
    assert scheme(page) == "light"
    assert drawn(page) == count
    assert style(page, "div.mermaid .nodeLabel", "color") != colour
    legible(page)


def test_diagrams_are_drawn_after_instant_navigation_and_mermaid_is_loaded_only_then(tab):
    page = tab.open("en/contributing/")
    scripts = []
    page.on("request", lambda request: scripts.append(request.url))
    page.evaluate("window.stays = true")
    page.locator('.md-tabs a[href$="en/"], .md-tabs a[href=".."], .md-tabs a').first.click()
    page.wait_for_selector(".home")
    assert not any(url.endswith("mermaid.min.js") for url in scripts)
    page.locator('.md-content a[href*="one-add-end-to-end"]').first.click()
    page.wait_for_selector("div.mermaid", state="attached")
    page.locator("div.mermaid").first.evaluate("(host) => host.scrollIntoView()")
    page.wait_for_selector("div.mermaid svg")
    tab.settle()
    assert page.evaluate("window.stays"), "the browser loaded the page anew"
    assert page.url == tab.url + "en/module-00-overview/one-add-end-to-end/"
    assert drawn(page) >= 2
    assert any(url.endswith("mermaid.min.js") for url in scripts)


def test_the_links_of_a_participant_open_with_the_keyboard(tab):
    page = tab.open(SEQUENCE)
    actor = page.locator(".diagram-actor").first
    menus = page.locator(".actorPopupMenu")
    assert not any(menu.is_visible() for menu in menus.all())
    actor.focus()
    page.keyboard.press("Enter")
    assert [menu.is_visible() for menu in menus.all()].count(True) == 1
    assert actor.get_attribute("aria-expanded") == "true"
    page.keyboard.press("Enter")
    assert not any(menu.is_visible() for menu in menus.all())


def test_mermaid_refuses_the_broken_diagram(visit):
    page = visit(ARTICLE)
    broken = (ROOT / "tests" / "fixtures" / "broken" / "diagram-syntax" / "broken.mmd").read_text("utf-8")
    assert "Parse error" in page.evaluate(PARSE, broken)


def test_a_diagram_wider_than_a_phone_scrolls_in_its_place(tabs):
    page = tabs(390).open(ARTICLE)
    no_sideways_scroll(page)
    for diagram in page.locator("div.mermaid").all():
        wide, shown = diagram.evaluate("(host) => [host.scrollWidth, host.clientWidth]")
        assert shown <= 390
        if wide > shown:
            assert diagram.get_attribute("tabindex") == "0", "cannot be scrolled with the keyboard"


def test_a_drawn_picture_is_readable_on_a_phone_and_scrolls_in_its_place(visit):
    for width, scrolls in ((1280, False), (390, True)):
        page = visit("en/contributing/dry-gpu/", width)
        no_sideways_scroll(page)
        picture = page.locator("img[src$='two-streams.svg']")
        shown, natural = picture.evaluate("(image) => [image.clientWidth, image.naturalWidth]")
        assert shown / natural > (0.85 if scrolls else 0.7), "words of 12 pixels are too small"
        wide, box = picture.evaluate("(image) => ((p) => [p.scrollWidth, p.clientWidth])(image.closest('p'))")
        assert (wide > box) == scrolls and box <= width


def test_a_label_that_is_wider_than_its_box_is_seen(visit):
    page = visit(ARTICLE)
    assert too_wide(page) == []
    label = page.locator("div.mermaid .nodeLabel").first
    with spoiled(label, "(label) => label.append('and_a_name_that_has_no_room_in_it')"):
        assert too_wide(page)
    with spoiled(label, "(label) => label.append(document.createElement('br'), 'a second line')"):
        assert too_wide(page)


def test_back_to_top_stands_beside_the_text(visit):
    page = visit(ARTICLE)
    page.mouse.wheel(0, 3000)
    until(page, "scrollY > 2000")
    page.mouse.wheel(0, -300)
    page.wait_for_selector(".md-top:not([hidden])")
    button, text = page.locator(".md-top").bounding_box(), page.locator("article").bounding_box()
    assert button["x"] >= text["x"] + text["width"] and button["height"] < 60


def test_the_reference_shows_no_role(site):
    assert not re.search(
        r":(class|func|mod|meth|data):", site.file("en/contributing/reference").read_text("utf-8")
    )


# --- languages, search, links


def test_the_language_switch_stays_on_the_page_and_in_its_section(tab):
    page = tab.open("en/contributing/")
    page.evaluate("window.stays = true")
    page.locator('.md-content a[href*="house"]').first.click()  # the header stays as it was loaded
    page.wait_for_url(tab.url + "en/contributing/house/")
    assert page.evaluate("window.stays"), "the browser loaded the page anew"
    page.evaluate("location.hash = 'house'")
    page.locator(".md-header [aria-label='Select language']").click()
    page.locator(".md-select__link[hreflang=zh]").click()
    page.wait_for_url(tab.url + "zh/contributing/house/#house")
    assert page.locator("html").get_attribute("lang") == "zh"
    page.locator(".md-header .md-select button").click()
    page.locator(".md-select__link[hreflang=en]").click()
    page.wait_for_url(tab.url + "en/contributing/house/#house")


@pytest.mark.parametrize(
    ("address", "file"),
    [
        (ARTICLE, "en/module-02-autograd/running-backward.md"),
        ("zh/", "zh/index.md"),
        ("zh/contributing/house/", "en/contributing/house.md"),
    ],
)
def test_the_pencil_leads_to_the_file_of_the_page(site, address, file):
    (link,) = re.findall(r'href="([^"]+)"[^>]* rel="edit\b', site.file(address).read_text("utf-8"))
    assert link.endswith(f"/edit/main/docs/{file}")


def test_the_note_of_a_page_with_no_translation_leads_to_what_is_translated(site):
    page = "zh/module-05-dispatch/add-an-operator/"
    note = re.search(r'class="admonition.*?</div>', site.file(page).read_text("utf-8"), re.DOTALL)
    links = [urljoin(page, link) for link in re.findall(r'href="([^"]+)"', note[0])]
    written = (path for path in (ROOT / "docs/zh").glob("module-*/*.md") if path.stem != "index")
    translated = sorted(path.relative_to(ROOT / "docs") for path in written)
    assert sorted(links) == [f"{path.with_suffix('').as_posix()}/" for path in translated]
    assert links and all(site.file(link).is_file() for link in links)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_screen_has_four_doors(tabs, language, width, height):
    tab = tabs(width)
    tab.page.set_viewport_size({"width": width, "height": height})
    doors = tab.open(f"{language}/").locator(".doors li")
    leads = [link.get_attribute("href") for link in doors.locator("a").all()]
    assert [link.rstrip("/").rsplit("/", 1)[-1] for link in leads] == [
        "errors", "source-index", "i-want-to", "routes",
    ]  # fmt: skip
    for door in doors.all():
        box = door.bounding_box()
        assert box["y"] + box["height"] <= height


def search(page, text: str) -> list[str]:
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").fill(text)
    page.keyboard.press("Shift")  # Material's search listens to keys
    until(page, "/\\d|没|No/.test(document.querySelector('.md-search-result__meta').textContent)")
    until(page, "document.querySelector('.md-search-result__item a') !== null")
    return page.locator(".md-search-result__item a").evaluate_all("(links) => links.map((a) => a.href)")


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("en/", {"accumulate": "", "_engine_run_backward": "running-backward/"}),
        ("zh/", {"反向传播": "running-backward/", "autograd": ""}),
    ],
)
def test_search_finds(tab, start, wanted):
    page = tab.open(start)
    for query, found in wanted.items():
        links = search(page, query)
        assert any(link.startswith(f"{tab.url}{start}module-02-autograd/{found}") for link in links), links


@pytest.mark.parametrize("language", ["en", "zh"])
def test_search_knows_no_line_of_an_excerpt(site, language):
    index = (site.folder / language / "search" / "sections.json").read_text("utf-8")
    shown = site.file(language).read_text("utf-8")
    assert "Erase rather than overwrite" in shown
    assert "Erase rather than overwrite" not in index
    assert '"location":"module-02-autograd/running-backward/' in index


# --- shape


#: The boxes of every annotated line's code and of its note, both as they are drawn.
BOXES = """
(notes) => notes.filter((note) => note.checkVisibility()).map((note) =>
  [note.closest(".it-line--noted").querySelector(".it-text"), note].map((it) => it.getBoundingClientRect()))
"""


def boxes(page) -> list[tuple[dict, dict]]:
    return page.locator(".it-excerpt .it-line--noted .it-note").evaluate_all(BOXES)


@pytest.mark.parametrize("address", ["en/", ARTICLE])
def test_notes_stand_beside_their_lines_on_a_wide_screen(visit, address):
    pairs = boxes(visit(address))
    assert pairs
    for code, note in pairs:
        assert note["x"] >= code["x"] + code["width"] - 1


@pytest.mark.parametrize("address", ["en/", ARTICLE])
def test_notes_stand_under_their_lines_on_a_phone(visit, address):
    pairs = boxes(visit(address, 390))
    assert pairs
    for code, note in pairs:
        assert note["y"] >= code["y"] + code["height"] - 1
        assert note["x"] + note["width"] <= 390


#: Of each line of code that goes on below: where it begins, and the least where its other rows do.
ROWS = """
(lines) => lines.filter((line) => line.checkVisibility()).flatMap((line) => {
  const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), rows = [];
  while (texts.nextNode()) {
    const range = document.createRange(), first = texts.currentNode.data.search(/\\S/);
    if (first < 0) continue;
    range.setStart(texts.currentNode, first);
    range.setEnd(texts.currentNode, texts.currentNode.data.length);
    rows.push(...[...range.getClientRects()].filter(({width}) => width > 2));
  }
  const top = Math.min(...rows.map((row) => row.top)) + 5;
  const least = (some) => Math.min(...some.map(({left}) => left));
  const below = rows.filter((row) => row.top > top);
  return below.length ? [[line.textContent, least(rows.filter((row) => row.top <= top)), least(below)]] : [];
})
"""


@pytest.mark.parametrize("lines", [".it-text", 'article pre > code > span[id^="__span"]'])
def test_on_a_phone_a_line_of_code_goes_on_under_its_own_beginning(visit, lines):
    found = visit(ARTICLE, 390).locator(lines).evaluate_all(ROWS)
    assert len(found) > 5
    assert [line for line, begins, goes_on in found if goes_on < begins] == []


def test_on_a_phone_the_mark_of_a_heading_adds_no_line(visit):
    heads = visit(ARTICLE, 390).locator("article :is(h1, h2, h3)")
    assert heads.locator(".headerlink").count() > 10
    heights = "(all) => all.map((head) => head.getBoundingClientRect().height)"
    hide = "(marks, how) => marks.forEach((mark) => mark.style.display = how)"
    shown = heads.evaluate_all(heights)
    heads.locator(".headerlink").evaluate_all(hide, "none")
    hidden = heads.evaluate_all(heights)
    heads.locator(".headerlink").evaluate_all(hide, "")
    assert hidden == shown


def test_the_line_below_a_label_that_is_a_link_swallows_no_underscore(visit):
    page = visit(ARTICLE)
    label = page.locator("div.mermaid a .nodeLabel p", has_text="device_ready_queues_").first
    lines, offset, size = label.evaluate(
        "(label) => { const {textDecorationLine, textUnderlineOffset, fontSize} = getComputedStyle(label);"
        " return [textDecorationLine, textUnderlineOffset, fontSize]; }"
    )
    assert lines == "underline" and float(offset.removesuffix("px")) >= 0.3 * float(size.removesuffix("px"))
    assert style(page, "div.mermaid a", "textDecorationLine") == "none"


TOLD = "(link) => getComputedStyle(link, '::after').content"


def test_a_term_tells_its_meaning_by_keyboard_and_by_touch(tabs):
    page = tabs().reach(ARTICLE)
    term = page.locator("a.it-term").first
    meaning = term.get_attribute("aria-description")
    assert meaning and meaning not in term.evaluate(TOLD)
    term.focus()
    assert meaning in term.evaluate(TOLD)
    page = tabs(390, has_touch=True, is_mobile=True).reach(ARTICLE)
    term = page.locator("a.it-term").first
    term.tap()
    assert meaning in term.evaluate(TOLD)
    assert "/glossary/" not in page.url
    term.tap()
    page.wait_for_url("**/en/glossary/#term-*")


def test_what_opens_a_part_of_the_navigation_has_a_name(tabs):
    page = tabs(390).open(ARTICLE)
    openers = page.locator(".md-nav__container > label")
    names = openers.evaluate_all("(all) => all.map((one) => [one.role, one.ariaLabel, one.ariaExpanded])")
    assert ["button", "Open: Autograd", "true"] in names and ["button", "Open: Dispatch", "false"] in names
    assert all(name.removeprefix("Open: ") for _, name, _ in names)


def test_it_can_be_read_with_the_keyboard(tab):
    page = tab.reach(ARTICLE)
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.className")
    assert "md-skip" in focused
    assert page.locator(".md-skip").is_visible()
    page.keyboard.press("Enter")
    until(page, "location.hash !== ''")
    # The jump to the anchor takes the focus with it, a little later.
    until(page, "!document.activeElement.matches('.md-skip')")
    fold = page.locator("article summary").first
    opened = fold.evaluate("(summary) => summary.parentElement.open")
    fold.press("Enter")
    now = "document.querySelector('article summary').parentElement.open"
    until(page, f"{now} !== {str(opened).lower()}")
    assert fold.evaluate("(summary) => getComputedStyle(summary).outlineStyle") != "none"


def test_tab_goes_down_the_page(visit):
    page = visit("en/")
    tops = []
    page.locator("article a").first.focus()
    for _ in range(12):
        inside, top = page.evaluate(
            "[!!document.activeElement.closest('article'),"
            " document.activeElement.getBoundingClientRect().top + scrollY]"
        )
        if not inside:
            break
        tops.append(top)
        page.keyboard.press("Tab")
    assert len(tops) >= 5
    assert all(below >= above - 60 for above, below in itertools.pairwise(tops))


def test_axe_finds_nothing_serious_where_there_is_no_page(tab):
    page = tab.open("en/nowhere/")
    tab.faults.clear()  # the console says that the page is not there
    for palette in ("light", "dark"):
        tab.show(scheme=palette)
        accessible(page)


def test_axe_finds_what_is_serious(visit):
    page = visit("en/contributing/")
    accessible(page)
    title = page.locator("article h1").first
    image = "(title) => title.append(document.createElement('img'))"
    with spoiled(title, image), pytest.raises(pytest.fail.Exception, match="image-alt"):
        accessible(page)
    pale = "(text) => Object.assign(text.style, {color: '#ddd', background: '#fff'})"
    with (
        spoiled(page.locator("article p").first, pale),
        pytest.raises(pytest.fail.Exception, match="color-contrast"),
    ):
        contrasted(page)
    contrasted(page)


def test_on_paper_everything_is_open_and_nothing_is_in_the_way(visit):
    page = visit(ARTICLE)
    page.emulate_media(media="print")
    for selector in (".md-header", ".md-sidebar--primary", ".md-footer", "a[rel~=edit]"):
        assert not page.locator(selector).first.is_visible(), selector
    assert page.locator(".it-excerpt .it-line").first.is_visible()
    assert page.locator(".it-excerpt .it-note").first.is_visible()
    for fold in page.locator("article .it-fold").all():
        assert fold.locator(".it-line").first.is_visible()
    assert len(page.pdf()) > 20_000


def test_an_address_with_no_page(tab):
    answer = tab.page.goto(tab.url + "zh/nowhere/")
    assert answer.status == 404
    assert "此地址没有页面" in tab.page.inner_text("article")
    tab.page.locator("article a", has_text="the beginning").click()
    tab.page.wait_for_url(tab.url + "en/")
    tab.faults.clear()  # the console says that the page is not there


@pytest.mark.parametrize(("locale", "leads"), [("en-GB", "en/"), ("zh-CN", "zh/"), ("de-DE", "en/")])
def test_the_front_door_leads_to_a_language(browser, site, locale, leads):
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(site.url, wait_until="commit")
    page.wait_for_url(site.url + leads, wait_until="commit")
    context.close()


def test_the_landing_page_counts_what_is_proven(site):
    for language in ("en", "zh"):
        page = site.file(language).read_text("utf-8")
        assert "[[" not in page
        counts = [int(count) for count in re.findall(r"<strong>(\d+)</strong>", page)]
        assert len(counts) == 4
        assert all(counts)
        assert "[[" not in (site.folder / language / "index.md").read_text("utf-8")


# --- weight


OWN = ("copy.js", "diagrams.js", "explain.js", "inside-torch.js", "reading.js")


def test_our_own_scripts_are_light(site):
    data = site.folder / "en" / "assets" / "reading-data.js"  # which grows with the articles
    assert len(data.read_bytes()) <= 200 * len(Book.load(ROOT).articles)
    own = [site.folder / "en" / "assets" / name for name in OWN]
    inline = re.findall(r"<script(?: id=[^>]+)?>.*?</script>", site.file(ARTICLE).read_text("utf-8"), re.S)
    assert sum(len(file.read_bytes()) for file in own) + sum(map(len, inline)) <= 40 * 1024
