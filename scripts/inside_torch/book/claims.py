"""Counted claims as data: the functions of an article's ``claims.py``, read and not run, and their counts.

A page names a claim by ``claim:<id>``, one of another article by ``claim:<module>/<article>/<id>``. The id is
the function's name with hyphens.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from inside_torch.book.page import Link, Page
from inside_torch.book.recording import SNIPPETS, Record
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

SCHEME = "claim:"
FILE = "claims.py"
RECORD = "claims.json"
#: Where a claim is counted, if not on each build: on one of them, or on the dry GPU.
BUILDS = ("cpu", "cuda", "dry")
#: What can be taken into the prose: ``names`` are those of the exceptions.
VALUES = ("count", "holds", "exceptions", "names")
_ARTICLE = re.compile(r"[\w-]+/[\w-]+")


@dataclass(frozen=True)
class Claim:
    """One claim of an article, as its file says it."""

    article: str  # <module>/<article>
    id: str
    sentence: str  # its docstring, on one line
    population: (
        str  # the expression that names it: ``operators_with_formula``, ``cases(graphs(), count=500)``
    )
    planted: bool
    line: int
    parts: tuple[str, ...]  # its function and all of the file's own that it uses, in the file's order
    build: str = ""
    timeout: int = 120
    minimum: int = 1
    exceptions: str = ""

    @property
    def code(self) -> str:
        """Its parts as one text."""
        return "\n\n".join(self.parts) + "\n"

    @property
    def name(self) -> str:
        """Its name in all of the book."""
        return f"{self.article}/{self.id}"

    @property
    def anchor(self) -> str:
        """Its id on the pages that use it."""
        return f"claim-{self.id}"

    @property
    def file(self) -> Path:
        """Its file, below the root."""
        return Path(SNIPPETS, self.article, FILE)

    @property
    def digest(self) -> str:
        """sha256 of its code, its first 16 hexadecimal digits."""
        return hashlib.sha256(self.code.encode()).hexdigest()[:16]


class Count(Record):
    """What was counted of one claim. ``population`` is a key of the record's populations, empty for cases
    that are generated.
    """

    sentence: str
    code_digest: str
    population: str
    count: int
    exceptions: list[str]

    @property
    def holds(self) -> int:
        """For how many members it holds."""
        return self.count - len(self.exceptions)


class Other(Record):
    """What was counted of a claim on another release; ``came`` and ``went`` are its members, beside ours."""

    release: str
    build: str
    count: int
    exceptions: list[str]
    came: list[str] = Field(default_factory=list)
    went: list[str] = Field(default_factory=list)

    @property
    def holds(self) -> int:
        """For how many members it holds."""
        return self.count - len(self.exceptions)


class Counts(Record):
    """What was counted of an article's claims, on one build of one release; ``others`` on other releases."""

    article: str
    release: str
    build: str
    claims: dict[str, Count] = Field(default_factory=dict)
    populations: dict[str, str] = Field(default_factory=dict)  # names with tabs between them
    others: dict[str, list[Other]] = Field(default_factory=dict)

    @classmethod
    def made_by(cls) -> str:
        return "a file made by `inside-torch count <article>`"

    @staticmethod
    def file(root: Path, article: str) -> Path:
        return root / SNIPPETS / article / RECORD

    def names(self, claim: str) -> list[str]:
        """The members of a claim's population; empty where they are generated."""
        joined = self.populations.get(self.claims[claim].population, "")
        return joined.split("\t") if joined else []


class ClaimsFile:
    """A ``claims.py``, read as a tree; :class:`BookError` (rule ``claim-code``) where it is no Python."""

    def __init__(self, article: str, text: str) -> None:
        self.article = article
        self.path = Path(SNIPPETS, article, FILE)
        self.text = text
        self._uses: dict[ast.stmt, list[ast.stmt]] = {}
        try:
            self.tree = ast.parse(self.text)
        except SyntaxError as error:
            raise BookError(
                "claim-code", str(error.msg), "Python", file=self.path, line=error.lineno
            ) from None

    @functools.cached_property
    def claims(self) -> dict[str, Claim]:
        """Its claims by id, in order."""
        found = [
            self._claim(node, call)
            for node in self.tree.body
            if isinstance(node, ast.FunctionDef) and (call := _decorator(node))
        ]
        return {claim.id: claim for claim in found}

    @functools.cached_property
    def _defined(self) -> dict[str, ast.stmt]:
        """What the file defines at its top, by name."""
        found: dict[str, ast.stmt] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {target.id: node for target in targets if isinstance(target, ast.Name)}
        return found

    def _used(self, statement: ast.stmt) -> list[ast.stmt]:
        """What a statement uses of what the file defines; several claims share most of theirs."""
        if statement not in self._uses:
            names = dict.fromkeys(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
            self._uses[statement] = [self._defined[name] for name in names if name in self._defined]
        return self._uses[statement]

    def _claim(self, node: ast.FunctionDef, call: ast.Call) -> Claim:
        options = {word.arg: word.value for word in call.keywords if word.arg}
        constants: dict[str, Any] = {
            name: value.value for name, value in options.items() if isinstance(value, ast.Constant)
        }
        build = constants.get("build", "")
        if build and build not in BUILDS:
            raise BookError(
                "claim-code",
                f"build={build!r}",
                "one of " + ", ".join(BUILDS),
                nearest(str(build), BUILDS),
                file=self.path,
                line=node.lineno,
            )
        return Claim(
            article=self.article,
            id=node.name.replace("_", "-"),
            sentence=" ".join((ast.get_docstring(node) or "").split()),
            population=ast.unparse(call.args[0]) if call.args else "",
            planted="planted" in options,
            line=node.lineno,
            parts=self._parts(node),
            build=build,
            timeout=constants.get("timeout", 120),
            minimum=constants.get("minimum", 1),
            exceptions=constants.get("exceptions", ""),
        )

    def _parts(self, node: ast.FunctionDef) -> tuple[str, ...]:
        """The texts of a function and of what it uses, its decorators and their arguments too."""
        needed: list[ast.stmt] = [node]
        for statement in needed:
            needed += [used for used in self._used(statement) if used not in needed]
        lines = self.text.split("\n")
        parts = []
        for statement in sorted(needed, key=lambda one: one.lineno):
            first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
            parts.append("\n".join(lines[first - 1 : statement.end_lineno]))
        return tuple(parts)


def _decorator(node: ast.FunctionDef) -> ast.Call | None:
    """The call of ``counted`` that decorates a function."""
    for one in node.decorator_list:
        if isinstance(one, ast.Call) and ast.unparse(one.func).rpartition(".")[2] == "counted":
            return one
    return None


def articles(root: Path) -> list[str]:
    """The articles that have a ``claims.py``, by name."""
    base = root / SNIPPETS
    return sorted(file.parent.relative_to(base).as_posix() for file in base.glob(f"*/*/{FILE}"))


def claims_of(root: Path, article: str) -> dict[str, Claim]:
    """The claims of an article by id, none where it has no file; raises :class:`BookError`."""
    file = root / SNIPPETS / article / FILE
    return _claims(article, file.read_text(encoding="utf-8")) if file.is_file() else {}


# A page asks once for each of its links, and the book has a thousand of them.
@functools.lru_cache(maxsize=256)
def _claims(article: str, text: str) -> dict[str, Claim]:
    return ClaimsFile(article, text).claims


def find(root: Path, article: str, target: str) -> Claim:
    """The claim that ``claim:<id>`` means on a page of an article.

    Raises :class:`BookError` (rule ``claim``) that names the nearest ones.
    """
    named = target.removeprefix(SCHEME)
    other, _, wanted = named.rpartition("/")
    known = claims_of(root, other or article)
    if wanted in known and (not other or _ARTICLE.fullmatch(other)):
        return known[wanted]
    near = {f"{slug}/{name}": name for slug in articles(root) for name in claims_of(root, slug)}
    alike = nearest(wanted, {*known, *near.values()}).split(", ")
    whole = [one for one in alike if one in known] + [
        full for one in alike if one not in known for full, name in near.items() if name == one
    ]
    raise BookError(
        "claim",
        f"no claim `{named}`",
        f"a function `{wanted.replace('-', '_')}` under @counted in {SNIPPETS}/{other or article}/{FILE}",
        ", ".join(whole[:3]),
    )


def count_of(claim: Claim, counts: Counts) -> Count:
    """What was counted of a claim; :class:`BookError` (rule ``claim-record``) where it was not."""
    if claim.id not in counts.claims:
        raise BookError(
            "claim-record", f"{claim.id} was never counted", f"inside-torch count {claim.article}"
        )
    return counts.claims[claim.id]


def value_of(claim: Claim, counts: Counts, name: str) -> int | list[str]:
    """A value of :data:`VALUES` for the prose; :class:`BookError` (rule ``claim-value``) for another name."""
    count = count_of(claim, counts)
    match name:
        case "count":
            return count.count
        case "holds":
            return count.holds
        case "exceptions":
            return len(count.exceptions)
        case "names":
            return list(count.exceptions)
    raise BookError(
        "claim-value", f"`{name}` of a claim", "one of " + ", ".join(VALUES), nearest(name, VALUES)
    )


def links_of(page: Page) -> list[Link]:
    """The links of a page that name a claim."""
    return [link for link in page.links if link.target.startswith(SCHEME)]


def uses(book: Book) -> dict[str, list[Page]]:
    """The pages that link to each claim, by its whole name; links that lead to none are left out."""
    found: dict[str, list[Page]] = {}
    for page in book.sound:
        for link in links_of(page):
            try:
                claim = find(book.root, page.slug, link.target)
            except BookError:
                continue
            found.setdefault(claim.name, []).append(page)
    return found
