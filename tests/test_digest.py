"""The digest of a recorded file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside_torch.digest import digest_of, sealed, unsealed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
DATA = st.dictionaries(st.text().filter(lambda key: key != "digest"), JSON, max_size=4)


@given(DATA, st.sampled_from([None, 1, 4]))
def test_what_is_sealed_survives_the_disk_in_any_layout(data, indent):
    assert unsealed(json.loads(json.dumps(sealed(data), indent=indent))) == data


@given(DATA, DATA)
def test_what_differs_has_another_digest(data, other):
    same = json.dumps(data, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (digest_of(data) == digest_of(other)) == same


@given(DATA, st.text().filter(lambda key: key != "digest"), JSON)
def test_what_was_edited_is_refused(data, key, value):
    edited = sealed(data) | {key: value}
    if json.dumps(edited, sort_keys=True) != json.dumps(sealed(data), sort_keys=True):
        with pytest.raises(ValueError, match="not what was recorded"):
            unsealed(edited)


def test_what_carries_no_digest_is_refused():
    with pytest.raises(ValueError, match="no digest"):
        unsealed({"machine": "mine"})
