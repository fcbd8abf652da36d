"""A checkout as evidence: held against the commit, and outranking witnesses. PyTorch's own is not at hand, so
the checkout is a small one of our making.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from inside_torch.errors import BookError
from inside_torch.pins import tree as tree_module
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import COMMIT
from inside_torch.pins.resolve import Evidence, resolve
from inside_torch.pins.tree import VARIABLE, Tree, fetch
from inside_torch.pins.verify import check, lock_all, verify
from inside_torch.pins.witness import Witness

PATH = "torch/csrc/autograd/engine.cpp"
TEXT = """\
#include <x.h>
namespace torch::autograd {

void Engine::run(int x) {
  TORCH_INTERNAL_ASSERT(x);
}

} // namespace torch::autograd
"""


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@x", *arguments],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "pytorch"
    (folder / PATH).parent.mkdir(parents=True)
    (folder / PATH).write_text(TEXT)
    git(folder.parent, "init", "-q", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "x")
    return folder


class Few:
    """Two witnesses."""

    def witnesses(self, path):
        return (Witness(5, "run", "x", "torch::autograd::Engine::run(int)"), Witness(90, "other", ""))


@pytest.fixture
def tree(checkout):
    return Tree(checkout, commit=git(checkout, "rev-parse", "HEAD"))


def test_another_commit_is_an_error_that_says_what_to_do(checkout):
    with pytest.raises(BookError) as caught:
        Tree(checkout)
    assert caught.value.rule == "tree-commit"
    assert COMMIT in caught.value.expected and "checkout" in caught.value.nearest


def test_a_changed_file_is_an_error(checkout):
    (checkout / PATH).write_text(TEXT + "// more\n")
    with pytest.raises(BookError, match=r"engine\.cpp") as caught:
        Tree(checkout, commit=git(checkout, "rev-parse", "HEAD"))
    assert caught.value.rule == "tree-changed"


@pytest.mark.parametrize("made", [False, True])
def test_what_is_no_checkout_is_an_error(tmp_path, made):
    folder = tmp_path / "nothing"
    if made:
        folder.mkdir()
    with pytest.raises(BookError) as caught:
        Tree(folder)
    assert caught.value.rule == "tree-git"


def test_the_environment_names_a_tree(checkout, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(checkout))
    with pytest.raises(BookError) as caught:
        Tree.given(None)
    assert caught.value.rule == "tree-commit"


def test_its_lines_outrank_witnesses(wheel, tree):
    address = f"src:{PATH}::Engine::run"
    by_witness = resolve(address, Evidence(wheel, None, Few()))
    assert (by_witness.first, by_witness.last, by_witness.evidence) == (5, 5, "witness")
    sources = Evidence(wheel, tree, Few())
    pin = resolve(address, sources)
    assert (pin.first, pin.last, pin.evidence) == (4, 6, "tree")
    assert [witness.line for witness in pin.witnesses] == [5]
    check(pin, sources.remembering(pin))


def test_the_wheel_outranks_a_tree(wheel, tree):
    assert resolve("src:torch/autograd/graph.py::Node", Evidence(wheel, tree)).evidence == "text"


def test_a_tree_pin_is_kept_where_there_is_no_tree(wheel, tree, tmp_path):
    address = f"src:{PATH}::Engine::run"
    lock, changes = lock_all(tmp_path, {address: ("a.md", 1)}, Evidence(wheel, tree, Few()))
    assert [change.kind for change in changes] == ["added"]
    lock.save()
    without = Evidence(wheel, None, Few())
    wrong, notes = verify(lock, without)
    assert not wrong and len(notes) == 1 and "--tree" in notes[0]
    kept, changes = lock_all(tmp_path, {address: ("a.md", 1)}, without)
    assert not changes and kept.pin(address).evidence == "tree"
    assert kept.excerpt(address) is None


def test_a_witness_pin_becomes_a_tree_pin(wheel, tree, tmp_path):
    address = f"src:{PATH}::Engine::run"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Evidence(wheel, None, Few()))
    lock.save()
    again, changes = lock_all(tmp_path, {address: ("a.md", 1)}, Evidence(wheel, tree, Few()))
    assert [change.kind for change in changes] == ["changed"]
    assert again.pin(address).evidence == "tree"


@pytest.mark.parametrize("symbol", ["::Engine::run", "::Engine::run#x", ""])
def test_a_witness_pin_holds_where_there_is_a_tree(wheel, tree, tmp_path, symbol):
    address = f"src:{PATH}{symbol}"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Evidence(wheel, None, Few()))
    assert verify(lock, Evidence(wheel, tree, Few())) == ([], [])
    pin = lock.pin(address)
    if pin.first:
        moved = PinLock(tmp_path, {address: replace(pin, first=pin.first + 2, last=pin.last + 2)})
        (error,), _ = verify(moved, Evidence(wheel, tree, Few()))
        assert error.rule == "pin-moved"


def test_the_text_of_an_assertion_means_its_line_in_a_tree_too(wheel, tree):
    class Asserts:
        def witnesses(self, path):
            return (Witness(5, "run", "a message put together", "torch::autograd::Engine::run(int)"),)

    pin = resolve(f"src:{PATH}::Engine::run#a message put", Evidence(wheel, tree, Asserts()))
    assert (pin.first, pin.last, pin.evidence) == (5, 5, "tree")
    with pytest.raises(BookError) as caught:
        resolve(f"src:{PATH}::Engine::run#no message", Evidence(wheel, tree, Asserts()))
    assert caught.value.rule == "pin-text"


def test_a_whole_file_of_a_tree_is_kept_where_there_is_none(wheel, tree, tmp_path):
    address = "src:torch/csrc/autograd/engine.cpp"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Evidence(wheel, tree, Few()))
    wrong, notes = verify(lock, Evidence(wheel, None, Few()))
    assert not wrong and len(notes) == 1


def test_a_line_that_changed_in_the_tree_is_found(wheel, checkout, tree):
    pin = resolve(f"src:{PATH}::Engine::run", Evidence(wheel, tree, Few()))
    (checkout / PATH).write_text(TEXT.replace("ASSERT(x)", "ASSERT(!x)"))
    git(checkout, "commit", "-q", "-a", "-m", "y")
    other = Evidence(wheel, Tree(checkout, commit=git(checkout, "rev-parse", "HEAD")), Few())
    with pytest.raises(BookError) as caught:
        check(pin, other.remembering(pin))
    assert caught.value.rule == "pin-changed" and "ASSERT(!x)" in str(caught.value)
    (checkout / PATH).write_text("// one more line\n" + TEXT)
    git(checkout, "commit", "-q", "-a", "-m", "z")
    other = Evidence(wheel, Tree(checkout, commit=git(checkout, "rev-parse", "HEAD")), Few())
    with pytest.raises(BookError) as caught:
        check(pin, other.remembering(pin))
    assert caught.value.rule == "pin-moved" and "lines 4-6 in the lock, lines 5-7 now" in str(caught.value)


@pytest.fixture
def remote(checkout, tmp_path):
    """The checkout with two more files and a past, as a host serves it that knows partial clones."""
    (checkout / "big.bin").write_bytes(bytes(range(256)) * 4000)
    (checkout / "c10").mkdir()
    (checkout / "c10/other.cpp").write_text("int other;\n")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "more")
    bare = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(checkout), str(bare))
    git(bare, "config", "uploadpack.allowFilter", "true")
    git(bare, "config", "uploadpack.allowAnySHA1InWant", "true")
    return f"file://{bare}", git(checkout, "rev-parse", "HEAD")


def files(folder):
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    )


def present(folder):
    """The paths whose contents the repository of a checkout holds."""
    listed = git(folder, "rev-list", "--objects", "--missing=print", "HEAD").splitlines()
    missing = {line[1:] for line in listed if line.startswith("?")}
    tree = [line.split() for line in git(folder, "ls-tree", "-r", "HEAD").splitlines()]
    return sorted(path for _, _, blob, path in tree if blob not in missing)


def test_fetch_brings_the_asked_files_of_one_commit_and_nothing_else(remote, tmp_path):
    repository, head = remote
    folder = fetch([PATH], tmp_path / "fetched", repository, head)
    assert files(folder) == present(folder) == [PATH]
    assert (folder / PATH).read_text() == TEXT
    assert git(folder, "rev-list", "--count", "HEAD") == "1", "the commits before it are not fetched"
    tree = Tree(folder, commit=head)
    assert tree.read(PATH).text == TEXT and tree.read("big.bin") is None
    assert "big.bin" in tree.paths()


def test_fetch_brings_what_new_pins_name_and_keeps_the_rest(remote, tmp_path):
    repository, head = remote
    folder = fetch([PATH], tmp_path / "fetched", repository, head)
    before = (folder / PATH).stat().st_ino
    assert fetch([PATH], folder, "file:///nowhere", head) == folder, "nothing is missing: nobody is asked"
    assert (folder / PATH).stat().st_ino == before
    assert fetch(["c10/other.cpp"], folder, repository, head) == folder
    assert files(folder) == present(folder) == ["c10/other.cpp", PATH]
    assert sorted(tmp_path.glob("*fetched*")) == [folder], "nothing is left beside it"


@pytest.mark.parametrize("step", ["fetch", "sparse-checkout", "checkout"])
@pytest.mark.parametrize("earlier", [False, True])
def test_an_interrupted_fetch_leaves_nothing_that_passes_for_a_tree(
    remote, tmp_path, monkeypatch, step, earlier
):
    repository, head = remote
    folder = tmp_path / "fetched"
    if earlier:
        fetch([PATH], folder, repository, head)
    real = tree_module._git

    def interrupted(where, *arguments, **options):
        if arguments[0] == step and arguments[1:2] != ("list",):
            raise KeyboardInterrupt
        return real(where, *arguments, **options)

    monkeypatch.setattr(tree_module, "_git", interrupted)
    if earlier and step == "fetch":
        assert fetch(["c10/other.cpp"], folder, repository, head), (
            "the commit is there: only files are missing"
        )
        return
    with pytest.raises(KeyboardInterrupt):
        fetch(["c10/other.cpp"], folder, repository, head)
    assert sorted(tmp_path.glob("*fetched*")) == ([folder] if earlier else [])
    if earlier:
        assert files(folder) == [PATH] and Tree(folder, commit=head).read("c10/other.cpp") is None


def test_a_file_that_the_commit_lacks_is_no_error_of_the_fetch(remote, tmp_path):
    repository, head = remote
    folder = fetch([PATH, "torch/gone.cpp"], tmp_path / "fetched", repository, head)
    assert Tree(folder, commit=head).read("torch/gone.cpp") is None


def test_a_host_that_knows_no_partial_clones_serves_too(checkout, tmp_path):
    head = git(checkout, "rev-parse", "HEAD")
    folder = fetch([PATH], tmp_path / "fetched", str(checkout), head)
    assert files(folder) == [PATH]


def test_fetch_leaves_a_whole_checkout_alone(checkout):
    head = git(checkout, "rev-parse", "HEAD")
    assert fetch([PATH, "another.cpp"], checkout, "file:///nowhere", head) == checkout


def test_fetch_without_a_network_says_what_to_do(tmp_path):
    with pytest.raises(BookError) as caught:
        fetch([PATH], tmp_path / "fetched", repository=str(tmp_path / "unreachable"), commit=COMMIT)
    assert caught.value.rule == "tree-git"
    assert "--tree" in caught.value.expected and VARIABLE in caught.value.expected
    assert not list(tmp_path.iterdir()), "what is left of it would be taken for a tree"


def test_lock_takes_no_lines_from_a_fetched_tree(checkout, monkeypatch):
    monkeypatch.setattr(tree_module, "fetched_folder", lambda: checkout)
    with pytest.raises(BookError):
        Tree.given(None)  # it is looked at, and is at another commit
    assert Tree.given(None, fetched=False) is None
