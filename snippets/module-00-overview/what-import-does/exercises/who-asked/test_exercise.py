"""A small module asks for another by a statement, by a function, and through torch's own `__getattr__`."""

import builtins
import importlib
import importlib.util
import pkgutil
import sys

import pytest
import torch
from exercise import watch


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the path, with three modules; what the watch changes is put back."""
    (tmp_path / "wanted_module.py").write_text("")
    (tmp_path / "by_statement.py").write_text("import wanted_module\n")
    (tmp_path / "by_function.py").write_text("import importlib\nimportlib.import_module('wanted_module')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(builtins, "__import__", builtins.__import__)
    monkeypatch.setattr(importlib, "import_module", importlib.import_module)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name in ("wanted_module", "by_statement", "by_function", "torch.wanted_module"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield tmp_path
    for name in ("wanted_module", "by_statement", "by_function", "torch.wanted_module"):
        sys.modules.pop(name, None)
    vars(torch).pop("wanted_module", None)


def test_statement(folder):
    found = watch({"wanted_module"})
    __import__("by_statement")
    assert found.asked == {"wanted_module": str(folder / "by_statement.py")}


def test_function(folder):
    found = watch({"wanted_module"})
    __import__("by_function")
    assert found.asked == {"wanted_module": str(folder / "by_function.py")}


def test_lazy_module_of_torch(folder, monkeypatch):
    monkeypatch.setattr(torch, "_lazy_modules", {*torch._lazy_modules, "wanted_module"})
    monkeypatch.setattr(torch, "__path__", [*torch.__path__, str(folder)])
    found = watch({"torch.wanted_module"})
    assert torch.wanted_module.__name__ == "torch.wanted_module"
    assert found.asked == {"torch.wanted_module": torch.__file__}


def test_imported_before(folder):
    __import__("by_statement")
    found = watch({"wanted_module"})
    __import__("by_function")
    importlib.reload(sys.modules["wanted_module"])
    assert found.asked == {}


def test_question(folder):
    found = watch({"wanted_module"})
    assert importlib.util.find_spec("wanted_module")
    assert found.asked == {"wanted_module": __file__}


def test_standard_library(folder):
    found = watch({"wanted_module"})
    assert pkgutil.resolve_name("wanted_module")
    assert found.asked == {"wanted_module": pkgutil.__file__}


def test_first_of_two(folder):
    for name in ("by_one", "by_another"):
        (folder / f"{name}.py").write_text("import module_that_is_not_there\n")
    found = watch({"module_that_is_not_there"})
    for name in ("by_one", "by_another"):
        with pytest.raises(ModuleNotFoundError):
            __import__(name)
    assert found.asked == {"module_that_is_not_there": str(folder / "by_one.py")}


def test_package_and_part(folder, monkeypatch):
    (folder / "wanted_package").mkdir()
    for name in ("__init__", "one", "other"):
        (folder / "wanted_package" / f"{name}.py").write_text("")
    (folder / "importlib_tools").mkdir()  # a folder with an unlucky name
    (folder / "importlib_tools" / "asking_file.py").write_text(
        "import wanted_package.one\nfrom wanted_package import other\n"
    )
    monkeypatch.syspath_prepend(str(folder / "importlib_tools"))
    names = {"wanted_package", "wanted_package.one", "wanted_package.other"}
    found = watch(names)
    try:
        __import__("asking_file")
    finally:
        for name in (*names, "asking_file"):
            sys.modules.pop(name, None)
    assert found.asked == dict.fromkeys(names, str(folder / "importlib_tools" / "asking_file.py"))
