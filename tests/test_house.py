"""The house keeps its own rules: the arrows between rooms run one way, and the code is tidy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "scripts" / "inside_torch"

# Which room may use which; docs/en/contributing/house.md is the picture of it.
ARROWS = {
    "pins": set(),
    "book": {"pins"},
    "operators": {"book", "pins"},
    "claims": {"pins"},
    "dry": set(),
    "render": {"book", "pins", "releases"},
    "run": {"book", "claims", "dry", "pins"},
    "site": {"book", "pins", "render", "releases"},
    "releases": {"book", "pins"},
    "bench": {"book", "pins", "render", "run", "site"},
}
# What every room may use.
GROUND = {"errors", "digest", "files", "yaml_file"}
# MkDocs is a matter of the site; the benchmark holds it against our own.
WITHOUT_MKDOCS = ("pins", "book", "operators", "claims", "render", "run", "releases", "dry", "cli")


def modules_of(room: str) -> list[Path]:
    """The modules of a room: a folder of the package, or a single file of it."""
    file = PACKAGE / f"{room}.py"
    return [file] if file.is_file() else sorted((PACKAGE / room).rglob("*.py"))


def rooms_used(source: str) -> set[str]:
    """The rooms that a module's imports name."""
    used = set()
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "inside_torch" and len(parts) > 1:
                used.add(parts[1])
    return used


def test_rooms_used_sees_both_forms_of_import():
    imports = (
        "import inside_torch.run.trace",
        "from inside_torch.pins.lock import A",
        "from inside_torch import book",
    )
    source = "\n".join(imports)
    assert rooms_used(source) == {"run", "pins", "book"}


@pytest.mark.parametrize("room", ARROWS)
def test_arrows_run_one_way(room):
    assert modules_of(room)
    for module in modules_of(room):
        stray = rooms_used(module.read_text()) - ARROWS[room] - GROUND - {room}
        assert not stray, f"{module.relative_to(ROOT)} uses {', '.join(sorted(stray))}"


def test_every_room_has_its_arrows():
    rooms = {
        path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - GROUND - {"__init__", "cli"} == set(ARROWS)


@pytest.mark.parametrize("room", WITHOUT_MKDOCS)
def test_no_room_knows_mkdocs(room):
    for module in modules_of(room):
        for node in ast.walk(ast.parse(module.read_text())):
            names = (
                [alias.name for alias in getattr(node, "names", [])] if isinstance(node, ast.Import) else []
            )
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "mkdocs" for name in names), module.relative_to(ROOT)


def public(module: Path) -> list[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes that a module defines at its top with no leading underscore."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    body = ast.parse(module.read_text(encoding="utf-8")).body
    return [node for node in body if isinstance(node, kinds) and not node.name.startswith("_")]


def test_all_that_is_public_says_what_it_is():
    modules = sorted(PACKAGE.rglob("*.py"))
    found = [(module, node) for module in modules for node in public(module)]
    assert len(found) > 100
    silent = [
        f"{module.relative_to(ROOT)}: {node.name}" for module, node in found if not ast.get_docstring(node)
    ]
    assert not silent, "no docstring: " + ", ".join(silent)


def test_the_reference_has_every_room():
    reference = (ROOT / "docs" / "en" / "contributing" / "reference.md").read_text(encoding="utf-8")
    for room in (*ARROWS, *GROUND, "cli"):
        assert f"::: inside_torch.{room}\n" in reference, room


def drawn() -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """The modules of each room in the picture of the house, and the rooms that an arrow leads to."""
    picture = (ROOT / "docs" / "en" / "contributing" / "house.md").read_text(encoding="utf-8")
    picture = picture.partition("scripts/inside_torch ")[2].partition("\ntests/")[0]
    modules: dict[str, list[str]] = {}
    arrows: dict[str, set[str]] = {}
    room = ""
    for line in picture.split("\n")[1:]:
        if entry := re.match(r" {4}([\w/]+)/(?: -> ([\w, ]+?) {2,}| {2,})", line):
            room = entry[1]
            arrows[room] = set((entry[2] or "").split(", ")) - {""}
        elif listed := re.match(r" {8}([\w, ]+):", line):
            modules.setdefault(room, []).extend(listed[1].split(", "))
    return modules, arrows


def test_the_picture_of_the_house_names_each_module_once_and_none_that_is_gone():
    modules, _ = drawn()
    files: dict[str, list[str]] = {}
    for file in PACKAGE.rglob("*.py"):
        if not file.stem.startswith("__"):
            room = file.parent.relative_to(PACKAGE).as_posix().removeprefix(".")
            files.setdefault(room, []).append(file.stem)
    assert {room: sorted(names) for room, names in modules.items()} == {
        room: sorted(names) for room, names in files.items()
    }


def test_the_picture_of_the_house_has_the_arrows():
    _, arrows = drawn()
    assert {room: arrows[room] for room in ARROWS} == ARROWS


def test_no_two_modules_have_one_name():
    homes: dict[str, list[str]] = {}
    for module in sorted(PACKAGE.rglob("*.py")):
        homes.setdefault(module.stem, []).append(str(module.relative_to(PACKAGE)))
    # Every package has an __init__; the verbs of cli/ are named after the rooms, which are no modules.
    assert {name: files for name, files in homes.items() if len(files) > 1}.keys() == {"__init__"}


def test_no_class_is_defined_twice():
    homes: dict[str, list[str]] = {}
    for module in sorted(PACKAGE.rglob("*.py")):
        for node in public(module):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(str(module.relative_to(PACKAGE)))
    assert len(homes) > 50
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


def module_of(file: Path) -> str:
    """The name that a module is imported by."""
    return ".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def imported(file: Path, known: set[str]) -> set[str]:
    """The modules of the package that one imports, wherever it does: in a function, for its types alone."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & known or {node.module}
    return found & known - {module_of(file)}


def test_no_module_imports_itself_by_way_of_others():
    files = {module_of(file): file for file in PACKAGE.rglob("*.py")}
    uses = {module: imported(file, set(files)) for module, file in files.items()}
    assert "inside_torch.pins.compiled" in uses["inside_torch.pins.calls"]  # in a function
    # What uses nothing that is left stands below the rest; a circle has no such module.
    while free := [module for module, used in uses.items() if not used & uses.keys()]:
        uses = {module: used for module, used in uses.items() if module not in free}
    assert not uses, f"a circle among {', '.join(sorted(uses))}"


@pytest.mark.timeout(300)
def test_the_types_hold():
    mypy = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT, capture_output=True, text=True)
    assert mypy.returncode == 0, mypy.stdout + mypy.stderr


def test_the_code_and_the_snippets_pass_ruff():
    for command in (["check"], ["format", "--check"]):
        ruff = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "scripts", "snippets", "tests"],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert ruff.returncode == 0, ruff.stdout + ruff.stderr
