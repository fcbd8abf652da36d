"""The beginning of a module or an article: files in which all is right that is not still to be written."""

from __future__ import annotations

import json
import re
from pathlib import Path

from inside_torch.book.curriculum import FILE, Curriculum, load
from inside_torch.book.language import ENGLISH, LANGUAGES
from inside_torch.book.page import SECTIONS
from inside_torch.errors import BookError, nearest
from inside_torch.files import write_whole

_MODULE = re.compile(r"module-\d\d(-[a-z0-9]+)+")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

#: What stands in a section until its author has written it; the rule `unwritten` finds it.
MARK = "> **To write.**"

#: What belongs into each section, in the order of an article.
TASKS = {
    "overview": "The surprise or the failing case that brings a reader here; the answer in about five "
    "sentences; where this stands in the whole.",
    "prerequisites": "What to know first, each a link to the article that teaches it; those of `requires`.",
    "concepts": "The terms and the mechanism, with a diagram whose nodes open source lines (`mermaid`).",
    "source-analysis": "The code in the order in which it runs: `excerpt` fences whose annotations say why.",
    "path-debugging": "The call path of one real run: a program with `path()`, its `.trace.yml`, "
    "`inside-torch trace`, and a `path` fence.",
    "examples": "Programs that a reader runs and changes (`program` and `output` fences), probes (`python` "
    "fences), an exercise with `exercise.py`, `test_exercise.py` and `solution.py`.",
    "summary": "Six to twelve statements, each with a link to its proof on this page: `([proof](#id))`.",
    "further-reading": "The next article, notes of PyTorch's own documentation, papers.",
}


def new_module(root: Path, slug: str, title: str, chinese: str) -> dict[Path, str]:
    """The files of a new module, written: its index, its entries in the curriculum and both navigations.

    Returns path (below ``root``) to text. Nothing is written unless all of it can be.
    """
    known = load(root)
    if not _MODULE.fullmatch(slug):
        raise BookError("new-module", f"the name {slug!r}", "module-NN-name", _suggested(slug, known))
    if slug in known.modules and (root / ENGLISH.docs / slug / "index.md").exists():
        raise BookError("new-module", f"{slug} is there", "a name that is not taken")
    twin = next((module for module in known.modules if module[7:9] == slug[7:9] and module != slug), None)
    if twin:
        raise BookError(
            "new-module", f"{slug}, and {twin} has that number", "a free number", _suggested(slug, known)
        )
    page = ENGLISH.docs / slug / "index.md"
    front = f"---\ntitle: {_quoted(title)}\n---\n\n# Module {slug[7:9]}: {title} {{#{slug}}}\n\n"
    files = {page: f"{front}{MARK} What it is about, its running example, its articles in reading order.\n"}
    if slug not in known.modules:
        names = f"{{en: {json.dumps(title)}, zh: {json.dumps(chinese, ensure_ascii=False)}}}"
        entry = f"  {slug}:\n    title: {names}\n    articles: {{}}\n"
        files[FILE] = _before_routes((root / FILE).read_text(encoding="utf-8"), entry)
    for language, name in zip(LANGUAGES, (title, chinese), strict=True):
        text = (root / language.config).read_text(encoding="utf-8")
        files[language.config] = _nav_section(text, slug, name, known, language.config)
    return _write(root, files)


def new_article(
    root: Path, slug: str, title: str, question: str, chinese: tuple[str, str]
) -> dict[Path, str]:
    """The files of a new article of a module that is there, written; ``chinese`` are title and question.

    The page has all eight sections, each with what belongs into it. Returns path to text, as above.
    """
    known = load(root)
    module, _, name = slug.partition("/")
    modules = [index.parent.name for index in (root / ENGLISH.docs).glob("module-*/index.md")]
    if module not in modules:
        raise BookError(
            "new-article",
            f"no module {module!r}",
            "module/article, of a module with an index; `inside-torch new module` makes one",
            nearest(module, modules),
        )
    if not _NAME.fullmatch(name):
        suggestion = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        raise BookError("new-article", f"the name {name!r}", "words-like-this", f"{module}/{suggestion}")
    page = ENGLISH.docs / module / f"{name}.md"
    if (root / page).exists():
        raise BookError("new-article", f"{page} is there", "a name that is not taken")
    files = {page: _page(title, question)}
    if slug not in known.entries:
        text = (root / FILE).read_text(encoding="utf-8")
        files[FILE] = _curriculum_entry(text, module, name, title, question, chinese)
    for language in LANGUAGES:
        text = (root / language.config).read_text(encoding="utf-8")
        files[language.config] = _nav_page(text, module, f"{module}/{name}.md", language.config)
    return _write(root, files)


def _page(title: str, question: str) -> str:
    front = [
        "---",
        f"title: {_quoted(title)}",
        f"question: {_quoted(question)}",
        "requires: []",
        "minutes: 30",
        "hardware: cpu",
        "---",
        "",
        f"# {title} {{#{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}}}",
    ]
    parts = [
        f"\n## {section.replace('-', ' ').capitalize()} {{#{section}}}\n\n{MARK} {TASKS[section]}"
        for section in SECTIONS
    ]
    return "\n".join(front + parts) + "\n"


def _quoted(text: str) -> str:
    """A YAML scalar: quoted where it could be read as something else."""
    return text if re.fullmatch(r"[A-Za-z][\w ,?'()./-]*", text) else json.dumps(text, ensure_ascii=False)


def _suggested(slug: str, known: Curriculum) -> str:
    """A name that would do, with the number after the last one."""
    number = max((int(module[7:9]) for module in known.modules), default=-1) + 1
    words = re.sub(r"^module-?\d*-?|[^a-z0-9]+", "-", slug.lower()).strip("-")
    return f"module-{number:02d}-{words or 'name'}"


def _before_routes(text: str, entry: str) -> str:
    """The curriculum with a module at the end of its modules."""
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith("routes:"))
    while at > 0 and (not lines[at - 1].strip() or lines[at - 1].startswith("#")):
        at -= 1
    return "\n".join([*lines[:at], *entry.rstrip("\n").split("\n"), *lines[at:]])


def _curriculum_entry(
    text: str, module: str, name: str, title: str, question: str, chinese: tuple[str, str]
) -> str:
    """The curriculum with an article at the end of its module."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith(f"  {module}:"))
    end = start + 1
    while end < len(lines) and lines[end].startswith("    "):
        end += 1
    quoted = [json.dumps(each, ensure_ascii=False) for each in (title, chinese[0], question, chinese[1])]
    entry = [
        f"      {name}:",
        f"        title: {{en: {quoted[0]}, zh: {quoted[1]}}}",
        f"        question: {{en: {quoted[2]}, zh: {quoted[3]}}}",
    ]
    part = ["    articles:" if line == "    articles: {}" else line for line in lines[start:end]]
    return "\n".join([*lines[:start], *part, *entry, *lines[end:]])


def _nav_section(text: str, slug: str, title: str, known: Curriculum, file: Path) -> str:
    """The navigation with a section for a module, after that of the module before it."""
    lines = text.split("\n")
    order = sorted({*known.modules, slug})
    before = order[: order.index(slug)]
    places = [
        number
        for number, line in enumerate(lines)
        if (found := re.match(r"\s+- (module-[\w-]+)/", line)) and found[1] in before
    ]
    if not places:
        raise BookError("new-module", f"no module before {slug} in the navigation", "one", file=file)
    indent = re.match(r"\s*", lines[places[-1]])[0]  # type: ignore[index]
    section = [f"{indent[:-4]}- {_quoted(title)}:", f"{indent}- {slug}/index.md"]
    return "\n".join([*lines[: places[-1] + 1], *section, *lines[places[-1] + 1 :]])


def _nav_page(text: str, module: str, page: str, file: Path) -> str:
    """The navigation with a page at the end of its module."""
    lines = text.split("\n")
    places = [number for number, line in enumerate(lines) if re.match(rf"\s+- {module}/", line)]
    if not places:
        raise BookError(
            "new-article", f"no {module} in the navigation", f"{module}/index.md in it", file=file
        )
    indent = re.match(r"\s*", lines[places[-1]])[0]  # type: ignore[index]
    return "\n".join([*lines[: places[-1] + 1], f"{indent}- {page}", *lines[places[-1] + 1 :]])


def _write(root: Path, files: dict[Path, str]) -> dict[Path, str]:
    for path, text in files.items():
        write_whole(root / path, text)
    return files
