"""A PyTorch checkout at the pinned commit: the text of every file, where somebody has one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import platformdirs

from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT, REPOSITORY
from inside_torch.pins.wheel import SourceFile, _lines

VARIABLE = "INSIDE_TORCH_TREE"


def git_head(folder: Path) -> str:
    """The commit that a checkout stands at; raises :class:`BookError` where it is no checkout with files
    unchanged.
    """
    head = _git(folder, "rev-parse", "HEAD").strip()
    # A changed file would prove lines that the commit does not have.
    changed = _git(
        folder, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"
    ).splitlines()
    if changed:
        raise BookError(
            "tree-changed",
            f"{len(changed)} changed files, the first {changed[0][3:]!r}",
            "a checkout without changes",
            file=folder,
        )
    return head


def _git(folder: Path, *arguments: str, say: str = "a git checkout of PyTorch") -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise BookError("tree-git", f"git does not run: {error}", "git on the PATH") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise BookError("tree-git", reason, say, file=folder)
    return done.stdout


class Tree:
    """A checkout at ``folder``, held against the pinned commit when it is opened."""

    def __init__(self, folder: Path, *, head: Callable[[Path], str] = git_head, commit: str = COMMIT) -> None:
        if not folder.is_dir():
            raise BookError("tree-git", "no such folder", "a git checkout of PyTorch", file=folder)
        at = head(folder)
        if at != commit:
            raise BookError(
                "tree-commit",
                f"a checkout at {at}",
                f"the pinned commit, {commit}",
                f"git -C {folder} fetch --depth 1 origin {commit} && git checkout {commit}",
                file=folder,
            )
        self.folder = folder
        self._files: dict[str, SourceFile | None] = {}

    @classmethod
    def given(cls, folder: Path | None) -> Tree | None:
        """The tree of an option, else of the environment, else the fetched one; None where there is none."""
        if folder is None and os.environ.get(VARIABLE):
            folder = Path(os.environ[VARIABLE])
        if folder is None and (fetched_folder() / ".git").is_dir():
            folder = fetched_folder()
        return cls(folder) if folder is not None else None

    def read(self, path: str) -> SourceFile | None:
        """A file's text, None where the commit has no such file."""
        if path not in self._files:
            file = self.folder / path
            self._files[path] = SourceFile(path, _lines(file), evidence="tree") if file.is_file() else None
        return self._files[path]

    def paths(self) -> list[str]:
        """Every file of the commit."""
        return _git(self.folder, "ls-files").splitlines()


def fetched_folder() -> Path:
    """Where :func:`fetch` puts the checkout: in the user's cache, named by the commit."""
    return platformdirs.user_cache_path("inside-torch") / f"pytorch-{COMMIT[:12]}"


def fetch(folder: Path | None = None, repository: str = f"{REPOSITORY}.git", commit: str = COMMIT) -> Path:
    """Fetches the one commit (about 400 MB) into the cache; raises :class:`BookError` where there is no
    network.
    """
    folder = folder or fetched_folder()
    if not folder.is_dir():
        # Beside its place until it is whole: what an interrupted fetch leaves must not pass for a tree.
        part = folder.with_name(f"{folder.name}.part")
        part.mkdir(parents=True, exist_ok=True)
        _git(part, "init", "--quiet")
        say = f"network access to {repository}; or a checkout of your own, named by --tree or {VARIABLE}"
        _git(part, "fetch", "--quiet", "--depth", "1", repository, commit, say=say)
        _git(part, "checkout", "--quiet", "--force", "FETCH_HEAD")
        part.rename(folder)
    Tree(folder, commit=commit)
    return folder
