"""One language of the site, built by MkDocs in this process and kept warm for edits."""

from __future__ import annotations

import functools
import html
import importlib.metadata
import json
import logging
import os
import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import jinja2
from mkdocs.commands import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.config.base import LegacyConfig
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import TableOfContents
from mkdocs.utils.templates import TemplateContext

from inside_torch.book.language import CHINESE, LANGUAGES
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.tree import LOG
from inside_torch.render.code import without_marks, without_plain
from inside_torch.render.elements import coded, element
from inside_torch.site.copies import write_copies
from inside_torch.site.fonts import FOLDER, ensure_fonts
from inside_torch.site.npm import ensure_npm
from inside_torch.site.policy import with_policy
from inside_torch.site.proof_counts import count_proofs, with_counts
from inside_torch.site.reading_data import DATA, reading_data
from inside_torch.site.rows import PLACES, Task, sections, with_ids
from inside_torch.site.staging import stage_chinese
from inside_torch.site.symbol_places import DATA as SYMBOLS
from inside_torch.site.symbol_places import symbol_places

_ANCHOR = re.compile(r"<[a-z][^<>]*\sid=\"([^\"]+)\"")
_FOR_SEARCH = re.compile(r"\s?data-search-\w+=\"[^\"]+\"")
_HAN = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
_BROKEN_LINE = re.compile(rf"({_HAN}(?:</(?:a|em|strong)>)*)\n((?:<(?:a|em|strong)\b[^<>]*>)*{_HAN})")


@dataclass
class Report:
    """What one build said: ``errors`` stop it, ``warnings`` do where the build is strict, ``notes`` never.

    A note tells of a step that does not match the source tree.
    """

    pages: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    whole: bool = True  # False where the edit needs a build of everything


class _Collected(logging.Handler):
    """Collects what is warned of in a list."""

    def __init__(self, found: list[str]) -> None:
        super().__init__(logging.WARNING)
        self.found = found

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


class _Hooks(BasePlugin[LegacyConfig]):
    """Where our build meets MkDocs: Mermaid's file, fonts, what the templates ask for, an edit's state."""

    def __init__(self, root: Path, language: str, modules: Path) -> None:
        self.root = root
        self.language = language
        self.scripts = {
            "mermaid.min.js": modules / "mermaid" / "dist" / "mermaid.min.js",
            "minisearch.js": modules / "minisearch" / "dist" / "umd" / "index.js",
        }
        self.fonts = ensure_fonts(root, modules)
        self.files: Files
        self.nav: Navigation
        self.env: jinja2.Environment
        self.alternate: list[dict[str, str]] = []
        self.faults: list[BookError] = []
        self.rows: dict[str, list[Task]] = {}
        self.content = ""  # of the page that search reads

    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        for name, script in self.scripts.items():
            files.append(File.generated(config, f"assets/{name}", abs_src_path=str(script)))
        for font in sorted(self.fonts.iterdir()):
            files.append(File.generated(config, f"{FOLDER}/{font.name}", abs_src_path=str(font)))
        files.append(File.generated(config, DATA, content=reading_data(Book.load(self.root), self.language)))
        return files

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        self.nav, self.files = nav, files
        return nav

    def on_env(self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files) -> jinja2.Environment:
        self.env = env
        self.alternate = config.extra.get("alternate", [])
        env.globals["pytorch_licence"] = _pytorch_licence()
        env.filters["coded"] = _coded
        return env

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        if page.file.src_uri != "index.md":
            return markdown
        return with_counts(markdown, count_proofs(Book.load(self.root)))

    @event_priority(50)
    def _before_search(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        # Material's search reads a page tag by tag; without the marks of colours it finds the same sooner.
        assert page.content is not None  # it is rendered
        self.content = page.content
        page.content = without_marks(page.content)
        return context

    @event_priority(-50)
    def _after_search(
        self, context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> TemplateContext:
        page.content = _FOR_SEARCH.sub("", self.content)  # as that plugin itself would have done
        # What a reader chose, such as the palette, is kept for the book, not for one of its languages.
        config.extra["scope"] = f"{context['base_url']}/.."
        # A page leads to itself in the other language, not to that one's beginning.
        config.extra["alternate"] = [{**each, "link": each["link"] + page.url} for each in self.alternate]
        # What a search engine shows of an article is its question, without marks.
        if question := page.meta.get("question"):
            page.meta.setdefault("description", html.escape(str(question).replace("`", "")))
        return context

    on_page_context = CombinedEvent(_before_search, _after_search)

    def on_pre_page(self, page: Page, *, config: MkDocsConfig, files: Files) -> Page:
        # An error in one page does not hide those of the others: it takes the page's place.
        page.render = functools.partial(self._render, page)  # type: ignore[method-assign]
        return page

    def _render(self, page: Page, config: MkDocsConfig, files: Files) -> None:
        try:
            Page.render(page, config, files)
        except BookError as error:
            self.faults.append(self._placed(error, page))
            page.content = f"<h1>{html.escape(str(page.title))}</h1><pre>{html.escape(str(error))}</pre>"
            page.toc, page.present_anchor_ids = TableOfContents([]), set()

    def _placed(self, error: BookError, page: Page) -> BookError:
        """The same error with the file that its author knows."""
        assert page.file.abs_src_path is not None  # each page is staged as a file
        staged = Path(page.file.abs_src_path)
        error.at(staged)
        file, root = Path(error.file or staged), self.root
        if source := (page.meta or {}).get("source"):
            true = root / "docs" / source
            if file == staged and true.is_file():
                # Its line there: staging adds front matter and notes.
                error.line = _same_line(staged, error.line, true) if error.line else None
                file = true
        error.file = file.relative_to(root) if file.is_relative_to(root) else file
        return error

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        return with_policy(output)

    def on_post_template(self, output: str, *, template_name: str, config: MkDocsConfig) -> str:
        return with_policy(output) if template_name.endswith(".html") else output

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        _set_aside(Path(config.site_dir, "search"), self.rows)
        Path(config.site_dir, SYMBOLS).write_text(symbol_places(Book.load(self.root)), "utf-8")
        if not self.faults:
            write_copies(Book.load(self.root), Path(config.docs_dir), Path(config.site_dir), self.language)

    def on_page_content(self, content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        # MkDocs looks for anchors before code blocks are put into the page, and would miss those of probes.
        assert page.present_anchor_ids is not None  # it is rendered
        if page.url in PLACES:
            content, self.rows[page.url] = with_ids(content)
        page.present_anchor_ids |= set(_ANCHOR.findall(content))
        return without_plain(_joined(content))


def _set_aside(folder: Path, rows: dict[str, list[Task]]) -> None:
    """Keep the sections that search goes through in a file of their own, which is read when search is opened.

    The rows of some pages are sections too.

    Material has each page read its index at once; it is given an empty one.
    """
    index = folder / "search_index.json"
    whole = json.loads(index.read_text("utf-8"))
    (folder / "sections.json").write_text(
        json.dumps(sections(whole["docs"], rows), separators=(",", ":")), "utf-8"
    )
    index.write_text(json.dumps(whole | {"docs": []}), "utf-8")


class LanguageSite:
    """The site of one language.

    ``docs`` is the folder of its pages, ``out`` the folder that it is built into, ``url`` the address that
    it will be served at, without which Material's instant navigation is off.
    """

    def __init__(self, root: Path, language: str, docs: Path, out: Path, url: str) -> None:
        self.root, self.language, self.docs, self.out, self.url = root, language, docs, out, url
        self.config: MkDocsConfig
        self.hooks: _Hooks
        self.texts: dict[str, str] = {}

    def build(self) -> Report:
        """Build every page."""
        report = Report()
        with _reporting(report):
            self._stage()
            self.config = self._configure()
            mkdocs_build.build(self.config)
            report.errors = [str(error) for error in self.hooks.faults]
            self.texts = self._read()
            report.pages = sorted(self.texts)
        return report

    def refresh(self, changed: Iterable[Path]) -> Report:
        """Build again only the pages whose text, or whose snippets among ``changed``, are not what they were.

        The search index, the navigation and the sitemap stay as the last whole build left them.
        """
        report = Report()
        with _reporting(report):
            self._stage()
            texts = self._read()
            if texts.keys() != self.texts.keys():
                report.whole = False
                return report
            snippets = {_snippet_folder(self.root, path) for path in changed} - {""}
            edited = [
                name
                for name, text in texts.items()
                if text != self.texts[name] or any(folder in text for folder in snippets)
            ]
            self.texts = texts
            for name in edited:
                if fault := self._build_page(name):
                    report.errors.append(str(fault))
                    self.texts[name] = ""  # so that the next edit anywhere tries it again
                else:
                    report.pages.append(name)
        return report

    def _stage(self) -> None:
        if self.language == CHINESE.code:
            stage_chinese(self.root, self.docs)

    def _read(self) -> dict[str, str]:
        """Path below the folder of pages to text, for every page."""
        pages = sorted(self.docs.rglob("*.md"))
        return {page.relative_to(self.docs).as_posix(): page.read_text("utf-8") for page in pages}

    def _configure(self) -> MkDocsConfig:
        place = next(language.config for language in LANGUAGES if language.code == self.language)
        config = load_config(
            str(self.root / place),
            docs_dir=str(self.docs),
            site_dir=str(self.out),
            site_url=self.url,
        )
        self.hooks = _Hooks(self.root, self.language, ensure_npm(self.root))
        config.plugins["inside-torch"] = self.hooks
        # mermaid2 parses every page with a diagram again to put its script there. Ours is loaded by
        # assets/diagrams.js, from the same configuration; the pass would double the time of a build.
        passes = config.plugins.events["post_page"]
        passes[:] = [
            method for method in passes if getattr(method, "__self__", None) is not config.plugins["mermaid2"]
        ]
        return config

    def _build_page(self, name: str) -> BookError | None:
        """Write one page again; a page with an error is left as it was."""
        files = self.hooks.files
        self.hooks.faults.clear()
        file = files.get_file_from_path(name)
        assert file is not None and file.page is not None  # the last build wrote it
        old = file.page
        # The same place in the navigation, with nothing left of the old text.
        old.toc, old.content, old.meta = TableOfContents([]), None, {}
        mkdocs_build._populate_page(old, self.config, files)
        if self.hooks.faults:
            return self.hooks.faults[0]
        mkdocs_build._build_page(
            old, self.config, files.documentation_pages(), self.hooks.nav, self.hooks.env
        )
        old.validate_anchor_links(files=files, log_level=self.config.validation.links.anchors)
        return None


class _reporting:
    """Times a build and turns what goes wrong into lines of its report."""

    def __init__(self, report: Report) -> None:
        self.report = report
        # What MkDocs warns of, since an exit status of 0 hides it, and what is worth telling of a page.
        self.handlers = {
            logging.getLogger("mkdocs"): _Collected(report.warnings),
            LOG: _Collected(report.notes),
        }

    def __enter__(self) -> None:
        self.start = time.monotonic()
        for log, handler in self.handlers.items():
            log.addHandler(handler)
            log.propagate = False

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> bool:
        for log, handler in self.handlers.items():
            log.removeHandler(handler)
        self.report.notes = [line.replace(f"{Path.cwd()}/", "") for line in self.report.notes]
        self.report.seconds = time.monotonic() - self.start
        if error is None:
            return False
        # MkDocs logs the error of a page before it raises it: said once is enough.
        self.report.warnings = [line for line in self.report.warnings if not line.startswith("Error ")]
        if isinstance(error, BookError | MkDocsException | jinja2.TemplateError):
            self.report.errors.append(str(error))
            if isinstance(error, MkDocsException):  # which says less than what it logged
                self.report.errors += self.report.warnings
            return True
        return False


def _snippet_folder(root: Path, path: Path) -> str:
    """``module/article`` of a file under ``snippets/``; empty for any other."""
    try:
        parts = path.relative_to(root / "snippets").parts
    except ValueError:
        return ""
    return "/".join(parts[:2]) if len(parts) > 2 else ""


def _coded(text: str) -> str:
    """A text of one line as HTML, its code in backticks marked as such."""
    return ElementTree.tostring(coded(element("span"), text), encoding="unicode")


def _joined(page: str) -> str:
    """The page without the line breaks between two Han characters, which a browser would show as blanks."""
    return _BROKEN_LINE.sub(r"\1\2", page)


def _same_line(staged: Path, line: int, true: Path) -> int | None:
    """The 1-based line of ``true`` that is the ``line`` of its staged copy; None where there is none like it.

    A staged page is longer at its head only, so both are counted from the end.
    """
    lines = true.read_text("utf-8").splitlines()
    place = len(lines) - (len(staged.read_text("utf-8").splitlines()) - line)
    return place if 1 <= place <= len(lines) else None


def _pytorch_licence() -> str:
    """PyTorch's own licence, as the installed release holds it."""
    installed = importlib.metadata.distribution("torch")
    if text := installed.read_text("licenses/LICENSE") or installed.read_text("LICENSE"):
        return text
    raise BookError("licence", "no LICENSE in the installed torch", "the release as it is distributed")


def use_fixed_date(root: Path) -> None:
    """Make two builds of one commit alike: MkDocs writes dates, which are the commit's."""
    if "SOURCE_DATE_EPOCH" not in os.environ:
        os.environ["SOURCE_DATE_EPOCH"] = str(commit_date(root))


def commit_date(root: Path) -> int:
    """Seconds since 1970 of the last commit; a fixed date where there is no repository."""
    try:
        run = subprocess.run(
            ["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True, timeout=10
        )
        return int(run.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 1_780_000_000
