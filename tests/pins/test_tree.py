"""A checkout as evidence: held against the commit, and outranking witnesses. PyTorch's own is not at hand, so
the checkout is a small one of our making.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import COMMIT
from inside_torch.pins.resolve import Sources, resolve
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
    by_witness = resolve(address, Sources(wheel, None, Few()))
    assert (by_witness.first, by_witness.last, by_witness.evidence) == (5, 5, "witness")
    sources = Sources(wheel, tree, Few())
    pin = resolve(address, sources)
    assert (pin.first, pin.last, pin.evidence) == (4, 6, "tree")
    assert [witness.line for witness in pin.witnesses] == [5]
    check(pin, sources.remembering(pin))


def test_the_wheel_outranks_a_tree(wheel, tree):
    assert resolve("src:torch/autograd/graph.py::Node", Sources(wheel, tree)).evidence == "text"


def test_a_tree_pin_is_kept_where_there_is_no_tree(wheel, tree, tmp_path):
    address = f"src:{PATH}::Engine::run"
    lock, changes = lock_all(tmp_path, {address: ("a.md", 1)}, Sources(wheel, tree, Few()))
    assert [change.kind for change in changes] == ["added"]
    lock.save()
    without = Sources(wheel, None, Few())
    wrong, notes = verify(lock, without)
    assert not wrong and len(notes) == 1 and "--tree" in notes[0]
    kept, changes = lock_all(tmp_path, {address: ("a.md", 1)}, without)
    assert not changes and kept.pin(address).evidence == "tree"
    assert kept.excerpt(address) is None


def test_a_witness_pin_becomes_a_tree_pin(wheel, tree, tmp_path):
    address = f"src:{PATH}::Engine::run"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Sources(wheel, None, Few()))
    lock.save()
    again, changes = lock_all(tmp_path, {address: ("a.md", 1)}, Sources(wheel, tree, Few()))
    assert [change.kind for change in changes] == ["changed"]
    assert again.pin(address).evidence == "tree"


@pytest.mark.parametrize("symbol", ["::Engine::run", "::Engine::run#x", ""])
def test_a_witness_pin_holds_where_there_is_a_tree(wheel, tree, tmp_path, symbol):
    address = f"src:{PATH}{symbol}"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Sources(wheel, None, Few()))
    assert verify(lock, Sources(wheel, tree, Few())) == ([], [])
    pin = lock.pin(address)
    if pin.first:
        moved = PinLock(tmp_path, {address: replace(pin, first=pin.first + 2, last=pin.last + 2)})
        (error,), _ = verify(moved, Sources(wheel, tree, Few()))
        assert error.rule == "pin-moved"


def test_the_text_of_an_assertion_means_its_line_in_a_tree_too(wheel, tree):
    class Asserts:
        def witnesses(self, path):
            return (Witness(5, "run", "a message put together", "torch::autograd::Engine::run(int)"),)

    pin = resolve(f"src:{PATH}::Engine::run#a message put", Sources(wheel, tree, Asserts()))
    assert (pin.first, pin.last, pin.evidence) == (5, 5, "tree")
    with pytest.raises(BookError) as caught:
        resolve(f"src:{PATH}::Engine::run#no message", Sources(wheel, tree, Asserts()))
    assert caught.value.rule == "pin-text"


def test_a_whole_file_of_a_tree_is_kept_where_there_is_none(wheel, tree, tmp_path):
    address = "src:torch/csrc/autograd/engine.cpp"
    lock, _ = lock_all(tmp_path, {address: ("a.md", 1)}, Sources(wheel, tree, Few()))
    wrong, notes = verify(lock, Sources(wheel, None, Few()))
    assert not wrong and len(notes) == 1


def test_a_line_that_changed_in_the_tree_is_found(wheel, checkout, tree):
    pin = resolve(f"src:{PATH}::Engine::run", Sources(wheel, tree, Few()))
    (checkout / PATH).write_text(TEXT.replace("ASSERT(x)", "ASSERT(!x)"))
    git(checkout, "commit", "-q", "-a", "-m", "y")
    other = Sources(wheel, Tree(checkout, commit=git(checkout, "rev-parse", "HEAD")), Few())
    with pytest.raises(BookError) as caught:
        check(pin, other.remembering(pin))
    assert caught.value.rule == "pin-changed" and "ASSERT(!x)" in str(caught.value)
    (checkout / PATH).write_text("// one more line\n" + TEXT)
    git(checkout, "commit", "-q", "-a", "-m", "z")
    other = Sources(wheel, Tree(checkout, commit=git(checkout, "rev-parse", "HEAD")), Few())
    with pytest.raises(BookError) as caught:
        check(pin, other.remembering(pin))
    assert caught.value.rule == "pin-moved" and "lines 4-6 in the lock, lines 5-7 now" in str(caught.value)


def test_fetch_brings_one_commit(checkout, tmp_path):
    head = git(checkout, "rev-parse", "HEAD")
    folder = fetch(tmp_path / "fetched", repository=str(checkout), commit=head)
    assert (folder / PATH).read_text() == TEXT
    assert fetch(folder, repository=str(checkout), commit=head) == folder


def test_fetch_without_a_network_says_what_to_do(tmp_path):
    with pytest.raises(BookError) as caught:
        fetch(tmp_path / "fetched", repository=str(tmp_path / "unreachable"), commit=COMMIT)
    assert caught.value.rule == "tree-git"
    assert "--tree" in caught.value.expected and VARIABLE in caught.value.expected
    assert not (tmp_path / "fetched").exists(), "what is left of it would be taken for a tree"
