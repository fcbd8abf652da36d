"""What this article says of changes, states, sizes and the order of entries, gone through."""

import importlib.util
import json
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from types import SimpleNamespace

import torch
from hypothesis import strategies
from inside_torch.claims import cases, counted
from torch._C._dynamo.eval_frame import _set_lru_cache
from torch._C._dynamo.guards import GlobalStateGuard
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from changes import CHANGES, Change, ones, plus_one, tried  # noqa: E402
from state import GUARDED, UNGUARDED  # noqa: E402

specification = importlib.util.spec_from_file_location(
    "which_entry", HERE / "exercises" / "which-entry" / "solution.py"
)
which_entry = importlib.util.module_from_spec(specification)
specification.loader.exec_module(which_entry)


def changes() -> dict[str, Change]:
    """The table, by kind and change."""
    return {f"{change.kinds}: {change.what}": change for change in CHANGES}


def recursion_limit() -> Change:
    """A change that nothing notices."""

    def raised() -> tuple:
        sys.setrecursionlimit(sys.getrecursionlimit() + 1)
        return (torch.ones(2),)

    return Change("", "a limit", lambda x: x * sys.getrecursionlimit(), ones(2), raised)


@counted(changes, planted=recursion_limit, minimum=35)
def change_is_noticed(change: Change) -> bool:
    """After the change, a second entry is made."""
    return tried(change)[0] == 2


def wrong_kind() -> Change:
    """A change that guards of another kind notice."""
    return Change("CONSTANT_MATCH", "another size", plus_one, ones(2), ones(3))


@counted(changes, planted=wrong_kind, minimum=35)
def left_out_is_not_noticed(change: Change) -> bool:
    """Without the guards of the kinds that are named, the first entry serves the call after the change."""
    return tried(change, change.kinds)[0] == 1


def rows_of_two() -> dict[str, Change]:
    """The rows that name two kinds."""
    return {name: change for name, change in changes().items() if "+" in change.kinds}


def second_kind_is_idle() -> Change:
    """A change that only one of the two kinds notices."""
    return Change("TENSOR_MATCH + CONSTANT_MATCH", "another size", plus_one, ones(2), ones(3))


@counted(rows_of_two, planted=second_kind_is_idle, minimum=4)
def one_of_two_is_enough(change: Change) -> bool:
    """Without one of the two kinds that are named, whichever it is, a second entry is made all the same."""
    return all(tried(change, kind)[0] == 2 for kind in change.kinds.split(" + "))


def state() -> dict[str, AbstractContextManager]:
    """Each name of the guard's state, with a change of it."""
    return {name: GUARDED[name] for name in json.loads(GlobalStateGuard().__getstate__())}


@counted(state, planted=lambda: UNGUARDED["cudnn.benchmark"], minimum=10)
def state_is_guarded(changed: AbstractContextManager) -> bool:
    """A function that was compiled in one state is compiled again in the other."""
    change = Change("GLOBAL_STATE", "", plus_one, ones(2), ones(2), changed)
    return tried(change)[0] == 2


def served(function, arguments: list[tuple]) -> list[int]:
    """The number of the compilation that served each call."""
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager")
    found = []
    for given in arguments:
        compiled(*given)
        found.append(cache_entries(function)[0].compile_id.frame_compile_id)
    return found


sizes = strategies.builds(
    lambda sizes: SizeCase(sizes), strategies.lists(strategies.integers(0, 7), min_size=2, max_size=8)
)


class SizeCase:
    """Sizes of a tensor, and a function that is called with it."""

    def __init__(self, sizes: list[int], function=None):
        self.sizes = sizes
        self.function = function or (lambda x: x + 1)

    def __repr__(self) -> str:
        return str(self.sizes)


@counted(
    cases(sizes, count=30), planted=lambda: SizeCase([5, 6, 3], lambda x: x + 1 if len(x) > 4 else x - 1)
)
def size_is_served_so(case: SizeCase) -> bool:
    """Calls with these sizes are served by the entries that the solution of the exercise names."""
    found = served(case.function, [(torch.ones(size),) for size in case.sizes])
    return found == which_entry.serving(case.sizes)


@counted(
    cases(
        strategies.builds(
            lambda words: SimpleNamespace(words=words, moves=True),
            strategies.lists(strategies.sampled_from("abcd"), min_size=3, max_size=8).map("".join),
        ),
        count=20,
    ),
    planted=lambda: SimpleNamespace(words="aba", moves=False),
)
def last_used_is_first(case: SimpleNamespace) -> bool:
    """After a call, the entry that served it is in front, and the others keep their order."""
    torch._dynamo.reset()

    def function(x, word):
        return x + ord(word)

    compiled = torch.compile(function, backend="eager")
    order: list[str] = []
    numbers: dict[str, int] = {}
    _set_lru_cache(case.moves)
    try:
        for word in case.words:
            compiled(torch.ones(1), word)
            numbers.setdefault(word, len(numbers))
            order = [word] + [other for other in order if other != word]
            found = [entry.compile_id.frame_compile_id for entry in cache_entries(function)]
            if found != [numbers[other] for other in order]:
                return False
    finally:
        _set_lru_cache(True)
    return True


def limits() -> dict[str, SimpleNamespace]:
    """Limits, with a function that needs more entries."""
    return {
        str(limit): SimpleNamespace(limit=limit, function=lambda x, word: x + len(word))
        for limit in range(1, 11)
    }


@counted(limits, planted=lambda: SimpleNamespace(limit=3, function=lambda x, word: x + 1), minimum=10)
def limit_is_reached(case: SimpleNamespace) -> bool:
    """With a limit of n, calls with n + 2 values make n entries, and each answer is right."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=case.limit):
        compiled = torch.compile(case.function, backend="eager")
        words = ["a" * at for at in range(case.limit + 2)]
        right = [
            torch.equal(compiled(torch.ones(1), word), case.function(torch.ones(1), word)) for word in words
        ]
    return all(right) and len(cache_entries(case.function)) == case.limit
