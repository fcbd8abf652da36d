#!/usr/bin/env python3
"""Set up a checkout and run it: ``serve`` the book, ``test`` the book.

Needs Python 3.11 or newer and nothing else; a newer one takes 3.11 where that is installed. Everything is
installed into a virtual environment in the checkout (``.venv`` for the CPU build of torch, ``.venv-cuda`` for
the CUDA build), which is used again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
#: CUDA's compiler, of the release that torch was built for: the CUDA build has it beside the other packages.
CUDA_LOCK = ROOT / "requirements-cuda.lock"
#: Packages that a few pages show. They have a folder of their own: the other pages run with torch alone.
EXTRAS_LOCK = ROOT / "requirements-extras.lock"
RELEASE = "2.13.0"
#: The Python whose bytecode and messages the pages show.
RECORDED = "3.11"

# `==` takes a CPU build where pip is offered one; `===` compares the whole version string, so that a local
# version such as 2.13.0+cpu does not match and the build of the main index, the CUDA one on Linux, is taken.
BUILDS = {
    "cpu": {"folder": ".venv", "torch": f"torch=={RELEASE}", "disk": 4},
    "cuda": {"folder": ".venv-cuda", "torch": f"torch==={RELEASE}", "disk": 14},
}

TOOLS = {
    "C++ compiler": (("c++", "g++", "clang++"), "g++", "the C++ extensions are not built"),
    "gdb": (("gdb",), "gdb", "call paths are shown as recorded, but not recorded again"),
    "browser": (
        (
            "chromium-headless-shell",
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
            "chrome",
        ),
        "chromium-headless-shell",
        "the pages are not tested in a browser",
    ),
}


def say(text: str) -> None:
    print(f"dev: {text}", flush=True)


def give_up(problem: str, mend: str) -> None:
    sys.exit(textwrap.dedent(f"dev: {problem}\n     {mend}"))


def recorded_python() -> str:
    """The interpreter that makes environments: Python 3.11 if there is one, else the one that runs this."""
    if platform.python_version_tuple()[:2] == tuple(RECORDED.split(".")):
        return sys.executable
    named = shutil.which(f"python{RECORDED}")
    # What is found may be the stub of a version manager, or lack what an environment is made with.
    if named and version_of(named, "ensurepip"):
        return named
    return sys.executable


def version_of(python: str, module: str = "platform") -> str:
    """The version of an interpreter; empty where it does not run, or has no such module."""
    ask = f"import platform, {module}; print(platform.python_version())"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()


class Environment:
    """One virtual environment of the checkout: ``build`` is a key of :data:`BUILDS`."""

    def __init__(self, build: str, torch_index: str | None):
        self.build = build
        self.folder = ROOT / BUILDS[build]["folder"]
        self.torch_index = torch_index
        self.interpreter = recorded_python()
        scripts = "Scripts" if os.name == "nt" else "bin"
        self.python = self.folder / scripts / ("python.exe" if os.name == "nt" else "python")
        self.stamp = self.folder / ".inside-torch-stamp"
        self.extras = self.folder / "extras"

    @property
    def recipe(self) -> str:
        """What the environment is made from; a change in any of it makes the environment anew."""
        files = LOCK, EXTRAS_LOCK, ROOT / "pyproject.toml"
        parts = [*(file.read_bytes() for file in files), str(BUILDS[self.build]).encode()]
        parts += [version_of(self.interpreter).encode(), str(self.folder).encode()]
        parts += [CUDA_LOCK.read_bytes()] if self.build == "cuda" else []
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def ready(self) -> bool:
        if not (self.stamp.exists() and self.stamp.read_text() == self.recipe):
            return False
        # A venv is tied to the interpreter that made it; that one may have been upgraded away.
        return subprocess.run([self.python, "-c", ""], capture_output=True).returncode == 0

    def make(self) -> None:
        """Make the environment, or bring it up to date; may be interrupted and called again."""
        free = shutil.disk_usage(ROOT).free / 2**30
        needed = BUILDS[self.build]["disk"]
        if free < needed:
            give_up(
                f"{free:.1f} GB free on this disk, {needed} GB needed for the {self.build} build.",
                "Free some room, or move the checkout.",
            )
        self.stamp.unlink(missing_ok=True)
        if not (self.python.exists() and version_of(str(self.python), "pip") == version_of(self.interpreter)):
            say(f"making the virtual environment {self.folder.name}/")
            made = subprocess.run(
                [self.interpreter, "-m", "venv", "--clear", self.folder], capture_output=True, text=True
            )
            if made.returncode:
                give_up(
                    "Python could not make a virtual environment:\n"
                    + textwrap.indent(made.stdout + made.stderr, "     "),
                    "On Debian and Ubuntu: apt-get install python3-venv",
                )
        self.pip("the locked packages", "--require-hashes", "--no-deps", "-r", str(LOCK))
        index = ["--extra-index-url", self.torch_index] if self.torch_index else []
        self.pip(f"torch {RELEASE}, {self.build} build", BUILDS[self.build]["torch"], *index)
        if self.build == "cuda":
            self.pip("CUDA's compiler", "--require-hashes", "--no-deps", "-r", str(CUDA_LOCK))
            self.link_cudart()
        # Into a folder pip only adds to: it would leave a second version beside the first.
        shutil.rmtree(self.extras, ignore_errors=True)
        locked = ["--require-hashes", "--no-deps", "-r", str(EXTRAS_LOCK)]
        self.pip("the extra packages of some pages", "--target", str(self.extras), *locked)
        self.pip("the tooling of this checkout", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
        self.stamp.write_text(self.recipe)

    def link_cudart(self) -> None:
        """Give CUDA's runtime the name by which a linker looks for it, which its wheel leaves out."""
        for library in self.folder.glob("lib/python3*/site-packages/nvidia/cu*/lib/libcudart.so.*"):
            link = library.with_name("libcudart.so")
            link.unlink(missing_ok=True)
            link.symlink_to(library.name)

    def pip(self, what: str, *arguments: str) -> None:
        """``pip install``, with a sign of life every ten seconds where pip shows no progress bar."""
        say(f"installing {what}")
        command = [
            self.python,
            "-m",
            "pip",
            "install",
            "--disable-pip-version-check",
            "--no-input",
            *arguments,
        ]
        started = time.monotonic()
        shown = sys.stdout.isatty()
        process = subprocess.Popen(
            command,
            text=True,
            stdout=None if shown else subprocess.PIPE,
            stderr=subprocess.STDOUT if not shown else None,
        )
        done = threading.Event()

        def beat() -> None:
            while not done.wait(10):
                say(f"  … {time.monotonic() - started:.0f} s")

        if not shown:
            threading.Thread(target=beat, daemon=True).start()
        output = process.communicate()[0] or ""
        done.set()
        if process.returncode:
            print(textwrap.indent(output[-3000:], "     "))
            give_up(
                f"pip could not install {what}.",
                "Without network nothing can be installed the first time; behind a proxy set HTTPS_PROXY. "
                "Run the same command again: what is installed is used again.",
            )
        say(f"  done in {time.monotonic() - started:.0f} s")

    def run(self, *command: str | Path) -> int:
        """Run a program of this environment from the root of the checkout; its exit status."""
        environment = os.environ | {"VIRTUAL_ENV": str(self.folder), "INSIDE_TORCH_BUILD": self.build}
        environment["PATH"] = f"{self.python.parent}{os.pathsep}{environment['PATH']}"
        environment.pop("PYTHONHOME", None)
        arguments = [str(self.python), *map(str, command)]
        if os.name == "posix":
            # In this process's place, so that a signal reaches the program and not only its parent.
            os.chdir(ROOT)
            sys.stdout.flush()
            os.execve(self.python, arguments, environment)
        return subprocess.run(arguments, cwd=ROOT, env=environment).returncode


def report_tools() -> None:
    for tool, (names, package, without) in TOOLS.items():
        if not any(shutil.which(name) for name in names):
            say(f"no {tool} found: {without}. On Debian and Ubuntu: apt-get install {package}")


def main() -> int:
    if sys.version_info < (3, 11):
        give_up(
            f"Python {platform.python_version()} is too old.",
            "Run this file with Python 3.11 or newer: python3.11 scripts/dev.py …",
        )
    parser = argparse.ArgumentParser(
        prog="dev.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    for verb, text in {
        "serve": "build the book, serve it, rebuild on edit; what follows goes to `inside-torch serve`",
        "test": "run the whole suite, on up to four processes; what follows goes to pytest",
        "run": "run `inside-torch` with what follows; `dev.py run` by itself lists its verbs, "
        "`dev.py run <verb> --help` explains one",
        "setup": "only make the environment",
    }.items():
        command = verbs.add_parser(verb, help=text, description=text)
        command.add_argument(
            "--build", choices=BUILDS, default="cpu", help="the build of torch (default: cpu)"
        )
        command.add_argument(
            "--torch-index",
            metavar="URL",
            help="where pip also looks for torch, e.g. PyTorch's index of CPU builds",
        )
        if verb == "run":  # what follows a verb is the verb's, --help too
            command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="verb …")
    options, rest = parser.parse_known_args()

    environment = Environment(options.build, options.torch_index)
    if not environment.ready():
        environment.make()
    if options.verb == "serve":
        return environment.run("-m", "inside_torch.cli", "serve", *rest)
    if options.verb == "test":
        report_tools()
        if not (version := version_of(environment.interpreter)).startswith(f"{RECORDED}."):
            say(
                f"the pages were recorded with Python {RECORDED}, this is {version}: "
                "tests of what shows bytecode will differ"
            )
        # A process for each core, and about 2 GB of memory for each process. What follows may say otherwise.
        return environment.run("-m", "pytest", "-n", "auto", "--maxprocesses", "4", *rest)
    if options.verb == "run":
        follows = rest + options.arguments
        return environment.run("-m", "inside_torch.cli", *follows[follows[:1] == ["--"] :])
    say(f"{environment.folder.name}/ is ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
