"""The named rules: what each takes out, and what it leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside_torch.book.fence_kinds import NORMALISERS
from inside_torch.run.normalise import RULES, normalise


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("addresses", "<AddBackward0 object at 0x7f12ab34cd56>", "<AddBackward0 object at 0x…>"),
        ("addresses", "\x1b[1mbold\x1b[0m, \x1b[38;5;9mred\x1b[m", "bold, red"),
        ("addresses", "0 x 12, x0, 10x20", "0 x 12, x0, 10x20"),
        ("ids", "__compiled_fn_1_7b9d8f0e_1a2b_4c3d_8e9f_0123456789ab", "__compiled_fn_1_…"),
        ("ids", "7b9d8f0e-1a2b-4c3d-8e9f-0123456789ab", "…"),
        ("ids", "id 140245678901234 of 1000000", "id … of 1000000"),
        ("ids", "0.1234567890123456", "0.1234567890123456"),
        ("times", "took 12.5 ms, 3us, 1.2e-05 s", "took … ms, …us, … s"),
        ("times", "2026-11-21 05:24:46.123", "…"),
        ("times", "2 tensors, 3 seeds, 4 steps", "2 tensors, 3 seeds, 4 steps"),
        ("device", "tensor([1.], device='cuda:0', grad_fn=<A>)", "tensor([1.], grad_fn=<A>)"),
        ("device", "tensor([1.], device='meta')", "tensor([1.], device='meta')"),
        ("device", "[torch.cuda.FloatTensor [2]]", "[torch.FloatTensor [2]]"),
        (
            "paths",
            'File "/opt/x/site-packages/torch/_tensor.py", line 3',
            'File "…/torch/_tensor.py", line 3',
        ),
        ("paths", "/home/me/snippets/module-02/x.py:4", "…/module-02/x.py:4"),
        ("paths", "/tmp/build/lib.so", "…/lib.so"),
        ("paths", "1 / 2, a/b, https://pytorch.org/docs/x", "1 / 2, a/b, https://pytorch.org/docs/x"),
    ],
)
def test_rule(rule, text, expected):
    assert normalise(text, [rule]) == expected


def test_nothing_is_normalised_unless_named():
    text = "0x7f12ab34cd56 12 ms /tmp/a/b.py, device='cuda:0'"
    assert normalise(text, []) == text


@given(st.text(), st.permutations(list(RULES)))
def test_normalised_text_stays_as_it_is(text, rules):
    once = normalise(text, rules)
    assert normalise(once, rules) == once


def test_rules_are_those_that_a_page_may_name():
    assert set(RULES) == set(NORMALISERS)
