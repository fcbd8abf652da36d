"""What each group of tests reads of the repository: a digest of it says whether a green run still holds.

A group reads its own test files, the code that they import, as far as imports lead, and the data that
:data:`DATA` names. A module that is named in a string, as ``python -m`` wants it, counts as imported.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from .workers import OF_AN_ARTICLE_FILES

#: Folders that hold what is made from the rest.
MADE = re.compile(r"\.git|\.venv.*|\.build|\.\w+_cache|__pycache__|node_modules|build|.*\.egg-info")
PACKAGE = "scripts/inside_torch"
#: What everything hangs on.
ALL = ("requirements.lock", "requirements-cuda.lock", "requirements-extras.lock", "pyproject.toml")
BOOK = ("docs/*", "snippets/*", "pins.lock", "calls.lock", "mkdocs.yml")
SITE = ("docs/theme/*", "docs/*.yml", "mkdocs.yml", "scripts/npm/*")
#: What says which tests are run, where and when, and not how one of them ends: no conftest.py hangs on it.
ABOUT = {
    f"tests/{name}.py" for name in ("changed", "cpu_capability", "reads", "record_proof", "times", "workers")
}
SHOWN = ("docs/*.yml", "docs/*/index.md", "docs/*/module-0[02]-*", "docs/*/contributing/*", "docs/*/r*/*")
FIXTURES = ("tests/fixtures/*",)
ERRORS = ("docs/en/errors.md", "tests/fixtures/tracebacks.yml")
#: Files that the groups of a room, or of a file, read beside their code; ``*`` goes through folders too. The
#: later entry says it more closely.
DATA = {
    "tests/articles/": BOOK,
    "tests/articles/test_the_copied_chip": ("snippets/module-05-dispatch/a-chip-in-cpp/*",),
    "tests/articles/test_the_extension_folder": ("snippets/module-05-dispatch/add-an-operator/*",),
    "tests/bench/": (*BOOK, *SITE),
    "tests/book/": FIXTURES,
    "tests/book/test_article": (*BOOK, *FIXTURES),
    "tests/book/test_book_verbs": (*BOOK, *FIXTURES),
    "tests/book/test_error_finder": ERRORS,
    "tests/book/test_explain_verb": ERRORS,
    "tests/book/test_skeleton": (*BOOK, *FIXTURES),
    "tests/book/test_fuzz": ("scripts/inside_torch/*.py", *FIXTURES),
    "tests/dry/": ("scripts/inside_torch/dry/c/*", "docs/en/contributing/dry-gpu.md"),
    "tests/dry/test_timeline": (
        "docs/en/contributing/two-streams.svg",
        "docs/en/contributing/dry-gpu.md",
        *FIXTURES,
    ),
    "tests/operators/": (*BOOK, *FIXTURES),
    "tests/pins/": FIXTURES,
    "tests/pins/test_article_format": ("docs/en/contributing/*",),
    "tests/pins/test_cli": ("pins.lock", *FIXTURES),
    "tests/pins/test_calls": ("pins.lock", "calls.lock", "snippets/module-02-autograd/running-backward/*"),
    "tests/pins/test_lock": ("pins.lock", *FIXTURES),
    "tests/render/": ("docs/theme/assets/*", *FIXTURES),
    "tests/render/test_broken": ("scripts/inside_torch/render/*.py", *FIXTURES),
    "tests/releases/": FIXTURES,
    "tests/run/": FIXTURES,
    "tests/run/test_faults": ("scripts/inside_torch/run/*.py", *FIXTURES),
    # Of the articles' pages, which have tests of their own, these open the one or the other.
    "tests/site/": (*SITE, *FIXTURES, *SHOWN, "LICENSE"),
    "tests/site/test_build": SITE,
    "tests/site/test_explain": (*SITE, *ERRORS),
    "tests/site/test_search": (*BOOK, *SITE, *FIXTURES),
    "tests/site/test_serve": SITE,
    "tests/test_changed": ("tests/*.py", "scripts/*.py", "docs/*/module-02-autograd/running-backward.md"),
    "tests/test_ci": (".ci/*",),
    "tests/test_confined": (".ci/*",),
    "tests/test_contributing": (
        *("scripts/*", "tests/*.py", "tests/fixtures/contribution/*", "docs/en/contributing/*"),
        *("mkdocs.yml", "docs/*.yml"),
    ),
    "tests/test_dev": ("scripts/dev.py", ".ci/*", ".github/*"),
    "tests/test_house": ("scripts/*.py", "tests/*.py", "snippets/*.py", "docs/en/contributing/*"),
    "tests/test_workers": ("tests/*.py",),
}


@dataclass(frozen=True)
class Tree:
    """The files of a checkout as they were at one moment: ``digests`` has them by path below ``root``."""

    root: Path
    digests: dict[str, str]

    @classmethod
    def of(cls, root: Path) -> Tree:
        """Every file that git would commit, or that lies there where git is not, with a digest."""
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        try:
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
            names = list(filter(None, done.stdout.split("\0")))
        except (OSError, subprocess.CalledProcessError):
            names = _lying_there(root)
        files = {name: root / name for name in sorted(names) if (root / name).is_file()}
        digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
        return cls(root, digests)

    def text(self, name: str) -> str:
        """What a file of the tree holds."""
        return (self.root / name).read_text("utf-8")

    def matching(self, patterns: Iterable[str]) -> set[str]:
        """The files that a pattern names."""
        found = set()
        for pattern in patterns:
            if pattern not in self._matched:
                self._matched[pattern] = {name for name in self.digests if fnmatchcase(name, pattern)}
            found |= self._matched[pattern]
        return found

    @cached_property
    def _matched(self) -> dict[str, set[str]]:
        return {}

    def edited(self, *names: str) -> Tree:
        """The same files, of which those named hold something else; what they import is as it was."""
        other = replace(self, digests=self.digests | dict.fromkeys(names, "another digest"))
        vars(other).update(_imports=self._imports, _matched=self._matched)
        return other

    # --- code

    @cached_property
    def modules(self) -> dict[str, str]:
        """Python modules of the package and of the tests, by their dotted name."""
        found = {}
        for name in self.digests:
            if name.endswith(".py") and name.startswith((f"{PACKAGE}/", "tests/")):
                dotted = name.removeprefix("scripts/").removesuffix(".py").replace("/", ".")
                found[dotted.removesuffix(".__init__")] = name
        return found

    def imports(self, name: str) -> set[str]:
        """The files that a Python file imports, or names in a string."""
        if name not in self._imports:
            self._imports[name] = self._read_imports(name)
        return self._imports[name]

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        return {}

    def _read_imports(self, name: str) -> set[str]:
        package = Path(name.removeprefix("scripts/")).parent.as_posix().replace("/", ".")
        wanted = set()
        for node in _executed(ast.parse(self.text(name))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                origin = node.module or ""
                if node.level:
                    above = package.split(".")[: len(package.split(".")) - node.level + 1]
                    origin = ".".join([*above, *filter(None, [node.module])])
                wanted |= {origin, *(f"{origin}.{alias.name}" for alias in node.names)}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                wanted |= set(re.findall(r"\binside_torch(?:\.\w+)+", node.value))
                if re.fullmatch(r"\w+\.py", node.value):  # a script beside it
                    wanted.add(f"{package}.{node.value.removesuffix('.py')}")
        found = {self.modules[part] for one in wanted for part in _prefixes(one) if part in self.modules}
        return found - {name}

    def code(self, start: Iterable[str]) -> set[str]:
        """Files and all that they import, however far; a test file brings the conftest.py of its folders."""
        todo, seen = [name for name in start if name in self.digests], set()
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            if name.endswith(".py"):
                todo += self.imports(name) - (ABOUT if name.endswith("/conftest.py") else set())
            folders = Path(name).parents if name.startswith("tests/") else []
            todo += [
                beside
                for folder in folders
                for beside in (f"{folder}/conftest.py", f"{folder}/__init__.py")
                if beside in self.digests
            ]
        return seen

    # --- groups

    def files(self, group: str) -> set[str]:
        """What a group of tests reads."""
        if group.startswith("tests/"):
            own = [group]
            data = [patterns for start, patterns in DATA.items() if group.startswith(start)]
            read = self.matching(data[-1]) if data else set()  # the later one says it more closely
        else:
            own = OF_AN_ARTICLE_FILES
            read = self.matching(SITE) | self._of_article(group)
        code = self.code(own)
        return code | self._beside(code) | read | self.matching(ALL)

    def _beside(self, code: set[str]) -> set[str]:
        """The data of the package that lies in the folders of this code."""
        folders = {str(Path(name).parent) for name in code}
        data = (name for name in self.matching([f"{PACKAGE}/*"]) if not name.endswith(".py"))
        return {name for name in data if str(Path(name).parent) in folders}

    def _of_article(self, slug: str) -> set[str]:
        """An article's pages, its snippets and those that its pages name; a link to a page names none."""
        pages = self.matching([f"docs/*/{slug}.md"])
        named = {
            slug,
            *re.findall(r"\bmodule-\d\d-[\w-]+/[\w-]+(?![\w-]|\.md)", "".join(map(self.text, pages))),
        }
        return pages | self.matching(f"snippets/{name}/*" for name in named)

    def _pins_of_article(self, slug: str) -> str:
        """What the lock says of the addresses that an article's pages hold."""
        text = "".join(map(self.text, self.matching([f"docs/*/{slug}.md"])))
        pins = json.loads(self.text("pins.lock"))["pins"]
        return json.dumps({address: pins[address] for address in sorted(pins) if address in text})

    def digest(self, group: str, surroundings: str = "") -> str:
        """One for all that a group reads; ``surroundings`` says what it runs in."""
        whole = hashlib.sha256(surroundings.encode())
        for name in sorted(self.files(group)):
            whole.update(f"{name}\0{self.digests[name]}\0".encode())
        if not group.startswith("tests/"):
            whole.update(self._pins_of_article(group).encode())
        return whole.hexdigest()[:16]


def _lying_there(root: Path) -> list[str]:
    """The files of a folder that is no repository of git's, without what is made in it."""
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not MADE.fullmatch(name)]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in files]
    return found


def _executed(tree: ast.AST) -> Iterable[ast.AST]:
    """The nodes of a module, without what only a type checker reads and without docstrings."""
    todo = [tree]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, ast.If) and ast.unparse(node.test) in (
                "TYPE_CHECKING",
                "typing.TYPE_CHECKING",
            ):
                continue
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            if isinstance(node, (ast.Name, ast.expr_context, ast.operator)):
                continue  # most of them, and there is nothing in them
            yield node
            todo.append(node)


def _prefixes(dotted: str) -> list[str]:
    """``a.b.c`` and the packages that importing it runs: ``a``, ``a.b``."""
    parts = dotted.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
