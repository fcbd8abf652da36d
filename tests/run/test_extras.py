"""Packages beside torch: in a folder of their own, on the path of who asks for them."""

import subprocess
import sys
from pathlib import Path

import pytest
from inside_torch.run import extras as module

ROOT = Path(__file__).parent.parent.parent


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)


def test_they_are_not_there_until_asked_for():
    program = """
import importlib.util
from inside_torch.run.extras import FOLDER, extras
print(importlib.util.find_spec("onnx_ir"))
for _ in range(2):
    extras("onnx-ir", "ruamel_yaml")
import sys, onnx_ir, numpy
print(onnx_ir.__version__ > "1", sys.path.count(str(FOLDER)), str(FOLDER) in numpy.__file__)
"""
    ran = run(program)
    assert (ran.stdout, ran.returncode) == ("None\nTrue 1 False\n", 0), ran.stderr


def test_a_package_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(
        ModuleNotFoundError, match=r"`onnxx` is none of the extra packages \(.*onnx, onnx-ir.*lock"
    ):
        module.extras("onnxx")
    assert str(module.FOLDER) not in sys.path


def test_a_folder_with_nothing_in_it_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "FOLDER", tmp_path / "extras")
    with pytest.raises(ModuleNotFoundError, match=r"`torchao` is none of the extra packages \(none\)"):
        module.extras("torchao")


def test_what_is_installed_is_what_is_locked():
    from importlib.metadata import distributions

    locked = {}
    for line in (ROOT / "requirements-extras.lock").read_text().splitlines():
        if "==" in line:
            name, version = line.removesuffix(" \\").split("==")
            locked[name] = version
    installed = {
        module._plain(one.metadata["Name"]): one.version for one in distributions(path=[str(module.FOLDER)])
    }
    assert installed == locked
