"""Each answer is the one that Python gives, for tensors, numbers and None."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2]))
from exercise import WithIdentity
from small_dynamo import traced


def same(x, y):
    """Asks about two arguments."""
    return x is y


def other(x, y):
    """Asks the other way round."""
    return x is not y


def absent(x, y):
    """Asks about a constant."""
    return (x is None) is True


def answer(function, *arguments):
    """What the small Dynamo finds, with that instruction."""
    return traced(function, *arguments, kind=WithIdentity)[1].value


TENSOR, LIST = torch.ones(2), [1]
PAIRS = {
    "two tensors": (TENSOR, torch.ones(2)),
    "a number and a truth": (1, True),
    "a number and itself": (7, 7),
    "nothing and nothing": (None, None),
    "a tensor and nothing": (TENSOR, None),
    "two lists": (LIST, [1]),
    "two empty lists": ([], []),
    "two equal numbers": (float("1.5"), float("1.5")),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("function", [same, other, absent])
def test_the_answer_is_that_of_python(function, pair):
    assert answer(function, *pair) is function(*pair)


def test_who_was_asked_about_is_looked_at():
    both = ["L['x']", "L['y']"]
    for function, y, sources in (absent, 1, both[:1]), (same, 1, both), (same, None, both):
        conditions = traced(function, None, y, kind=WithIdentity)[0].conditions
        assert [source for source, _, _ in conditions] == sources


@pytest.mark.parametrize("thing", [TENSOR, LIST], ids=["tensor", "list"])
def test_one_thing_under_two_names_is_one(thing):
    assert answer(same, thing, thing) is True
    assert answer(other, thing, thing) is False


def test_what_was_looked_at_is_the_same_as_before():
    def twice(x):
        y = x + 1
        first, second = [y], [y]
        return (x is x, y is y, y is x, first is first, first is second)

    answers = [one.value for one in traced(twice, TENSOR, kind=WithIdentity)[1].items]
    assert answers == [True, True, False, True, False]


def test_what_was_written_to_is_the_same_and_another_result_is_not():
    def written(x):
        y = x + 1
        z = y.mul_(2)
        w = z
        w += 1
        return (z is y, w is y, z is x, x + 1 is y, y.view(2) is y)

    answers = [one.value for one in traced(written, TENSOR, kind=WithIdentity)[1].items]
    assert answers == [True, True, False, False, False]


def test_what_gives_back_its_tensor_is_the_same_and_what_detaches_is_not():
    def through(x):
        return (x.contiguous() is x, x.float() is x, x.detach() is x)

    answers = [one.value for one in traced(through, TENSOR, kind=WithIdentity)[1].items]
    assert answers == [*through(TENSOR)] == [True, True, False]
