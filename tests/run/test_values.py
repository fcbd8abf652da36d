"""Numbers are compared by value, all else character by character."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
import yaml
from hypothesis import assume, example, given
from hypothesis import strategies as st
from inside_torch.run.values import equal

PAIRS = yaml.safe_load((Path(__file__).parent.parent / "fixtures" / "values.yml").read_text(encoding="utf-8"))

#: Numbers whose first four decimals, plain or with an exponent, no last bit changes.
TAME = st.integers(-3600, 3600).map(lambda quarters: quarters / 4)
PRINTED = st.decimals(-10, 10, places=4).map(str)


@pytest.mark.parametrize("pair", PAIRS["same"], ids=lambda pair: pair["why"])
def test_the_same_by_value(pair):
    assert equal(pair["one"], pair["other"]) and equal(pair["other"], pair["one"])
    assert pair["one"] != pair["other"]


@pytest.mark.parametrize("pair", PAIRS["another"], ids=lambda pair: pair["why"])
def test_another(pair):
    assert not equal(pair["one"], pair["other"]) and not equal(pair["other"], pair["one"])


def last_bit(tensor: torch.Tensor, up: list[bool]) -> torch.Tensor:
    """The tensor with each element moved to a neighbour, as another processor may compute it."""
    return tensor.nextafter(torch.where(torch.tensor(up), torch.inf, -torch.inf).reshape(tensor.shape))


@st.composite
def neighbours(draw) -> tuple[torch.Tensor, torch.Tensor]:
    """A tensor and one that is another by last bits."""
    shape = draw(st.lists(st.integers(1, 4), max_size=3))
    count = torch.Size(shape).numel()
    values = draw(st.lists(TAME.filter(bool), min_size=count, max_size=count))
    tensor = torch.tensor(values).reshape(shape)
    return tensor, last_bit(tensor, draw(st.lists(st.booleans(), min_size=count, max_size=count)))


@given(neighbours(), st.booleans(), st.booleans())
def test_a_tensor_does_not_hang_on_its_last_bits(pair, complex_, requires_grad):
    one, other = (torch.complex(tensor, -tensor) if complex_ else tensor for tensor in pair)
    texts = []
    for tensor in (one, other):
        tensor = tensor.clone().requires_grad_() * 1 if requires_grad else tensor
        texts.append(f"before {tensor}\nafter {tensor.tolist()}")
    assert equal(*texts)


@given(st.lists(TAME, min_size=2, max_size=30), st.data())
def test_a_tensor_hangs_on_each_of_its_values(values, data):
    place = data.draw(st.integers(0, len(values) - 1))
    other = list(values)
    other[place] += data.draw(st.sampled_from([-0.25, 0.25, 1, -100]))
    assert not equal(repr(torch.tensor(values)), repr(torch.tensor(other)))


@given(st.text(), PRINTED, PRINTED)
@example("", "-9.9999", "-10.0000")
def test_a_printed_digit_counts(around, one, other):
    assert equal(f"{around} {one}", f"{around} {other}") == (
        float(one) == float(other) and one.startswith("-") == other.startswith("-")
    )


@given(
    st.integers(),
    st.integers(),
    st.sampled_from(["{}", "it is {}.", "[{}, 2]", "{} of 1.5", "({})", "tensor({})"]),
)
def test_integers_are_exact(one, other, form):
    assert equal(form.format(one), form.format(other)) == (one == other)


@pytest.mark.parametrize(
    "form",
    [
        r"\d\.\d{1,2}\.\d{1,2}(\+cpu|a0|rc1)?",  # a version
        r"20\d\d-[01]\d-[0-3]\d( [012]\d:[0-5]\d:[0-5]\d\.\d{3})?",
        r"0x[0-9a-f]{4,12}",
        r"[0-9a-f]{8,40}",
        r"torch\.Size\(\[\d{1,3}, \d{1,3}\]\)",
        r"v\d\.\d{1,2}",
        r"lib[a-z]\.so\.\d{1,2}",
        r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}",
        r"engine\.cpp:\d{1,4}",
        r"[A-Z][a-z]+Backward\d",
        r"L\['x'\]\.\d",
        r"0x1\.[0-9a-f]{2,4}p[+-]\d",
    ],
)  # fmt: skip
@given(data=st.data())
def test_what_looks_like_a_float_is_none(form, data):
    texts = st.from_regex(re.compile(form, re.ASCII), fullmatch=True)
    one, other = data.draw(texts), data.draw(texts)
    assert equal(one, other) == (one == other)
    assert equal(f"at {one}: 0.5", f"at {other}: 0.50000001") == (one == other)


@given(st.text(alphabet="[]().,+-eEjinfa 0123456789x\n", max_size=30))
def test_a_text_is_itself_and_nothing_longer(text):
    assert equal(text, text)
    assert not equal(text, text + "x")
    assert not equal(text, "x" + text)


@given(st.text(alphabet="[](), .-e+5j0", max_size=12), st.text(alphabet="[](), .-e+5j0", max_size=12))
def test_equality_has_no_direction(one, other):
    assert equal(one, other) == equal(other, one)


@given(neighbours(), st.data())
def test_brackets_are_structure(pair, data):
    text = repr(pair[0])
    places = [place for place, character in enumerate(text) if character in "[]()"]
    place = data.draw(st.sampled_from(places))
    assert not equal(text, text[:place] + text[place + 1 :])


@given(st.lists(TAME, min_size=2, max_size=12))
def test_what_rounding_a_large_number_leaves_is_zero_beside_it_alone(values):
    assume(max(map(abs, values)) >= 1)
    exact, left = torch.tensor([*values, 0.0]), torch.tensor([*values, 1e-7])
    assert equal(repr(exact), repr(left))
    assert not equal(repr(exact.tolist()), repr(left.tolist()))
