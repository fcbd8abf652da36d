"""A PyTorch checkout at the pinned commit: the text of every file, where somebody has one."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Collection
from pathlib import Path

import platformdirs

from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT, REPOSITORY
from inside_torch.pins.wheel import SourceFile, lines_of

VARIABLE = "INSIDE_TORCH_TREE"
#: Tells what of a page does not match the tree; the page is built all the same.
LOG = logging.getLogger("inside_torch.tree")


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


def _git(
    folder: Path, *arguments: str, say: str = "a git checkout of PyTorch", stdin: str | None = None
) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=False,
            input=stdin,
            # A host that asks for a password is one that does not have the repository.
            env=os.environ | {"GIT_TERMINAL_PROMPT": "0"},
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
    def given(cls, folder: Path | None, *, fetched: bool = True) -> Tree | None:
        """The tree of an option, else of the environment, else the fetched one, unless ``fetched`` is false;
        None where there is none.
        """
        if folder is None and os.environ.get(VARIABLE):
            folder = Path(os.environ[VARIABLE])
        if fetched and folder is None and (fetched_folder() / ".git").is_dir():
            folder = fetched_folder()
        return cls(folder) if folder is not None else None

    def read(self, path: str) -> SourceFile | None:
        """A file's text, None where the checkout has no such file."""
        if path not in self._files:
            file = self.folder / path
            self._files[path] = SourceFile(path, lines_of(file), evidence="tree") if file.is_file() else None
        return self._files[path]

    def paths(self) -> list[str]:
        """Every file of the commit."""
        return _git(self.folder, "ls-files").splitlines()


def fetched_folder() -> Path:
    """Where :func:`fetch` puts the checkout: in the user's cache, named by the commit."""
    return platformdirs.user_cache_path("inside-torch") / f"pytorch-{COMMIT[:12]}"


def fetch(
    paths: Collection[str],
    folder: Path | None = None,
    repository: str = f"{REPOSITORY}.git",
    commit: str = COMMIT,
) -> Path:
    """The checkout of these files, repository paths, at the one commit; fetches what is missing of it.

    It is shallow, sparse and without the contents of other files: a few MB, in the cache unless ``folder``
    says otherwise. Raises :class:`BookError` where there is no network. A path that the commit does not have
    is not an error here: :meth:`Tree.read` says None of it.
    """
    folder = folder or fetched_folder()
    kept = _kept(folder, commit) if folder.is_dir() else set()
    if kept is None or (kept and kept.issuperset(paths)):
        return folder
    wanted = sorted(kept.union(paths))
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside its place until it is whole: what an interrupted fetch leaves must not pass for a tree.
    part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        if folder.is_dir():
            shutil.copytree(folder, part, symlinks=True, dirs_exist_ok=True)
        say = f"network access to {repository}; or a checkout of your own, named by --tree or {VARIABLE}"
        _git(part, "init", "--quiet")
        for name, value in {
            "remote.origin.url": repository,
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "origin",
        }.items():
            _git(part, "config", name, value)
        if not folder.is_dir():
            _git(
                part, "fetch", "--quiet", "--no-tags", "--depth", "1", "--filter=blob:none", "origin", commit,
                say=say,
            )  # fmt: skip
        # A pattern is anchored by its first slash; no path of PyTorch holds a wildcard.
        patterns = "".join(f"/{path}\n" for path in wanted)
        _git(part, "sparse-checkout", "set", "--no-cone", "--stdin", say=say, stdin=patterns)
        _git(part, "checkout", "--quiet", "--detach", commit, say=say)
        Tree(part, commit=commit)
        old = part.with_name(f"{part.name}.old")
        if folder.is_dir():
            folder.rename(old)
        part.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _kept(folder: Path, commit: str) -> set[str] | None:
    """The repository paths that a fetched checkout was asked for; None where it holds all of them."""
    Tree(folder, commit=commit)
    if _git(folder, "config", "--default", "false", "--get", "core.sparseCheckout").strip() != "true":
        return None
    return {line.removeprefix("/") for line in _git(folder, "sparse-checkout", "list").splitlines()}
