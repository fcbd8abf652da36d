"""scripts/dev.py: what it re-uses, and what it says when something is missing."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DEV = ROOT / "scripts" / "dev.py"


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """The module dev, looking at a checkout of its own in ``tmp_path``."""
    spec = importlib.util.spec_from_file_location("dev", DEV)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("requirements.lock", "requirements-cuda.lock", "requirements-extras.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LOCK", tmp_path / "requirements.lock")
    monkeypatch.setattr(module, "CUDA_LOCK", tmp_path / "requirements-cuda.lock")
    monkeypatch.setattr(module, "EXTRAS_LOCK", tmp_path / "requirements-extras.lock")
    return module


def test_uses_the_standard_library_only():
    imported = subprocess.run(
        [sys.executable, "-I", "-S", str(DEV), "--help"], capture_output=True, text=True, check=True
    )
    assert "serve" in imported.stdout and "test" in imported.stdout


@pytest.mark.parametrize(
    ("written", "runs"),
    [
        (["run"], []),
        (["run", "check", "--help"], ["check", "--help"]),
        (["run", "--", "--help"], ["--help"]),
        (["run", "--build", "cpu", "record", "--check", "a#b"], ["record", "--check", "a#b"]),
    ],
)
def test_run_leaves_what_follows_a_verb_to_the_verb(dev, monkeypatch, written, runs):
    ran = []
    monkeypatch.setattr(dev.Environment, "ready", lambda self: True)
    monkeypatch.setattr(dev.Environment, "run", lambda self, *command: ran.append(command) or 0)
    monkeypatch.setattr(sys, "argv", ["dev.py", *written])
    assert dev.main() == 0
    assert ran == [("-m", "inside_torch.cli", *runs)]


def test_the_suite_runs_on_several_processes_unless_told_otherwise(dev, monkeypatch):
    ran = []
    monkeypatch.setattr(dev.Environment, "ready", lambda self: True)
    monkeypatch.setattr(dev.Environment, "run", lambda self, *command: ran.append(command) or 0)
    monkeypatch.setattr(sys, "argv", ["dev.py", "test", "-n", "1", "-k", "x"])
    assert dev.main() == 0
    module, pytest_itself, *options = ran[0]
    assert (module, pytest_itself) == ("-m", "pytest")
    assert options[-4:] == ["-n", "1", "-k", "x"], "the later of two settings wins"
    assert options[:2] == ["-n", "auto"]


def test_help_of_run_says_where_the_verbs_are(dev, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["dev.py", "run", "--help"])
    with pytest.raises(SystemExit):
        dev.main()
    said = " ".join(capsys.readouterr().out.split())
    assert "`dev.py run` by itself lists its verbs" in said and "`dev.py run <verb> --help`" in said


def test_an_old_python_is_told_so():
    script = (
        "import sys, runpy; sys.version_info = (3, 10, 0); sys.argv = ['dev.py', 'test'];"
        f"runpy.run_path({str(DEV)!r}, run_name='__main__')"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert told.returncode == 1
    assert "too old" in told.stderr and "3.11" in told.stderr and "Traceback" not in told.stderr


def python_stub(folder, script):
    """A file python3.11 in a folder, alone on the path."""
    folder.mkdir()
    stub = folder / "python3.11"
    stub.write_text(f"#!/bin/sh\n{script}\n")
    stub.chmod(0o755)
    return stub


def test_a_newer_python_takes_the_one_that_the_pages_were_recorded_with(dev, monkeypatch, tmp_path):
    assert dev.recorded_python() == sys.executable
    monkeypatch.setattr(dev.platform, "python_version_tuple", lambda: ("3", "13", "0"))
    monkeypatch.setenv("PATH", str(tmp_path / "found"))
    stub = python_stub(tmp_path / "found", f'exec {sys.executable} "$@"')
    assert dev.recorded_python() == str(stub)
    assert dev.version_of(str(stub)) == dev.platform.python_version()
    # the stub of a version manager that has no such version
    stub.write_text("#!/bin/sh\necho no such version >&2\nexit 127\n")
    assert dev.recorded_python() == sys.executable


def test_an_environment_of_another_python_is_made_anew(dev, monkeypatch, tmp_path):
    environment = dev.Environment("cpu", None)
    environment.python.parent.mkdir(parents=True)
    environment.python.symlink_to(sys.executable)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("usage", "free")(2**40))
    monkeypatch.setattr(dev.Environment, "pip", lambda self, what, *arguments: None)
    versions = {str(environment.python): "3.12.0", environment.interpreter: "3.11.0"}
    monkeypatch.setattr(dev, "version_of", lambda python, module="": versions[python])
    run, made = subprocess.run, []

    def noted(command, **options):
        if "venv" in command:
            made.append(command)
            return run([sys.executable, "-c", ""], **options)
        return run(command, **options)

    monkeypatch.setattr(dev.subprocess, "run", noted)
    environment.make()
    assert made == [[environment.interpreter, "-m", "venv", "--clear", environment.folder]]
    monkeypatch.setattr(dev, "version_of", lambda python, module="": "3.11.0")
    environment.make()
    assert len(made) == 1


def test_the_suite_says_that_another_python_shows_other_bytecode(dev, monkeypatch, capsys):
    monkeypatch.setattr(dev.Environment, "ready", lambda self: True)
    monkeypatch.setattr(dev.Environment, "run", lambda self, *command: 0)
    monkeypatch.setattr(sys, "argv", ["dev.py", "test"])
    assert dev.main() == 0
    assert "bytecode" not in capsys.readouterr().out
    monkeypatch.setattr(dev, "version_of", lambda python: "3.13.0")
    assert dev.main() == 0
    assert "recorded with Python 3.11, this is 3.13.0" in capsys.readouterr().out


def test_a_full_disk_is_told_before_anything_is_made(dev, monkeypatch, tmp_path):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(2**40, 2**40, 2**20))
    with pytest.raises(SystemExit, match=r"0\.0 GB free .* 4 GB needed"):
        dev.Environment("cpu", None).make()
    assert not (tmp_path / ".venv").exists()


def test_a_failed_install_is_told_and_leaves_no_stamp(dev, tmp_path):
    environment = dev.Environment("cpu", None)
    (tmp_path / "requirements.lock").write_text("no-such-package-of-ours==0 --hash=sha256:00\n")
    environment.folder.mkdir()
    environment.python = Path(sys.executable)
    with pytest.raises(SystemExit, match="pip could not install the locked packages"):
        environment.make()
    assert not environment.stamp.exists()
    assert not environment.ready()


def test_an_environment_is_used_again_until_its_recipe_changes(dev, tmp_path):
    environment = dev.Environment("cpu", None)
    environment.folder.mkdir()
    environment.python = Path(sys.executable)
    assert not environment.ready()
    environment.stamp.write_text(environment.recipe)
    assert environment.ready()
    with (tmp_path / "requirements.lock").open("a") as lock:
        lock.write("# another\n")
    assert not environment.ready()


def test_the_compiler_of_cuda_is_a_matter_of_the_cuda_build(dev, monkeypatch):
    cpu, cuda = dev.Environment("cpu", None), dev.Environment("cuda", None)
    before = cpu.recipe, cuda.recipe
    with dev.CUDA_LOCK.open("a") as lock:
        lock.write("# another\n")
    assert (cpu.recipe == before[0], cuda.recipe == before[1]) == (True, False)
    asked = []
    monkeypatch.setattr(dev.Environment, "pip", lambda self, what, *arguments: asked.append(arguments))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("usage", "free")(2**40))
    for environment in (cpu, cuda):
        environment.folder.mkdir()
        environment.python = Path(sys.executable)
        asked.append(environment.build)
        environment.make()
    locked = ("--require-hashes", "--no-deps", "-r", str(dev.CUDA_LOCK))
    assert locked not in asked[: asked.index("cuda")] and locked in asked


def test_the_extra_packages_go_into_a_folder_of_their_own(dev, monkeypatch):
    environment = dev.Environment("cpu", None)
    before = environment.recipe
    with dev.EXTRAS_LOCK.open("a") as lock:
        lock.write("# another\n")
    assert environment.recipe != before
    asked = []
    monkeypatch.setattr(dev.Environment, "pip", lambda self, what, *arguments: asked.append(arguments))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("usage", "free")(2**40))
    environment.python = Path(sys.executable)
    environment.extras.mkdir(parents=True)
    (environment.extras / "of_an_older_lock.py").write_text("")
    environment.make()
    assert not environment.extras.exists()
    [arguments] = [given for given in asked if str(dev.EXTRAS_LOCK) in given]
    folder = ("--target", str(environment.extras))
    assert arguments == (*folder, "--require-hashes", "--no-deps", "-r", str(dev.EXTRAS_LOCK))


def test_the_runtime_of_cuda_has_the_name_that_a_linker_looks_for(dev):
    environment = dev.Environment("cuda", None)
    folder = environment.folder / "lib" / "python3.11" / "site-packages" / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    (folder / "libcudart.so.13").write_text("the library")
    for _ in range(2):
        environment.link_cudart()
        assert (folder / "libcudart.so").read_text() == "the library"


def test_the_builds_differ_in_the_way_pip_is_asked(dev):
    assert dev.BUILDS["cpu"]["torch"] == f"torch=={dev.RELEASE}"
    assert dev.BUILDS["cuda"]["torch"] == f"torch==={dev.RELEASE}"


def test_missing_tools_are_named_with_what_is_lost(dev, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    dev.report_tools()
    said = capsys.readouterr().out
    for tool, (_, package, without) in dev.TOOLS.items():
        assert f"no {tool} found: {without}" in said and f"apt-get install {package}" in said


def test_its_browsers_are_those_of_the_package(dev):
    from inside_torch.site.browser import BROWSERS

    assert dev.TOOLS["browser"][0] == BROWSERS


def locked_in(name):
    """The requirements of a lock file, each with its hashes."""
    from packaging.requirements import Requirement

    for entry in (ROOT / name).read_text().replace("\\\n", " ").splitlines():
        if entry.strip():
            requirement, *hashes = entry.split(" --hash=")
            yield Requirement(requirement.strip()), hashes


def test_the_lock_names_every_dependency_with_a_hash():
    import tomllib

    from packaging.requirements import Requirement

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = {requirement.name.lower(): hashes for requirement, hashes in locked_in("requirements.lock")}
    for dependency in project["dependencies"]:
        name = Requirement(dependency).name.lower()
        if name != "torch":
            assert locked.get(name), f"{name} is not in requirements.lock with a hash"


def test_the_compiler_of_cuda_is_locked_with_hashes():
    locked = {requirement.name: hashes for requirement, hashes in locked_in("requirements-cuda.lock")}
    assert {"nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-cccl"} == locked.keys()
    assert all(locked.values())


def test_the_extra_packages_are_locked_with_hashes_and_are_in_no_other_lock():
    extras = {requirement.name: hashes for requirement, hashes in locked_in("requirements-extras.lock")}
    assert {"onnxscript", "torchao", "executorch"} <= extras.keys()
    assert all(extras.values())
    assert not extras.keys() & {requirement.name for requirement, _ in locked_in("requirements.lock")}


def test_the_compiler_of_cuda_is_that_of_the_release_that_torch_names():
    from importlib.metadata import PackageNotFoundError, requires

    from packaging.requirements import Requirement

    try:
        named = [Requirement(line) for line in requires("cuda-toolkit")]
    except PackageNotFoundError:
        pytest.skip("the CPU build has no cuda-toolkit; `dev.py test --build cuda` runs it")
    for locked, _ in locked_in("requirements-cuda.lock"):
        versions = [one.specifier for one in named if one.name == locked.name]
        (exact,) = locked.specifier
        assert versions and all(version.contains(exact.version) for version in versions), locked
