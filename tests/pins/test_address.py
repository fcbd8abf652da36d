"""The written form of an address, and what is none."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.release import COMMIT, permalink


@pytest.mark.parametrize(
    ("written", "path", "symbol", "text"),
    [
        ("src:torch/csrc/autograd/edge.h", "torch/csrc/autograd/edge.h", None, None),
        ("src:torch/a.py::C.m", "torch/a.py", "C.m", None),
        ("src:a/b.h::N::C#int  x;", "a/b.h", "N::C", "int x;"),
        ("src:a/b.py#x = {}  # why::not", "a/b.py", None, "x = {} # why::not"),
        ("src:a.h::S::S(const T&,  bool)", "a.h", "S::S(const T&, bool)", None),
        ("src:a.h::S#uint32_t%20input_nr", "a.h", "S", "uint32_t input_nr"),
        ("src:a.cpp::TORCH_LIBRARY_IMPL(_, CPU, m)", "a.cpp", "TORCH_LIBRARY_IMPL(_, CPU, m)", None),
        ('src:a.py#print("100%ad")', "a.py", None, 'print("100%ad")'),
        ("  src:a.py::f  ", "a.py", "f", None),
    ],
)
def test_parts(written, path, symbol, text):
    assert Address.parse(written) == Address(path, symbol, text)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "torch/a.py",
        "src:",
        "src:/etc/passwd",
        "src:../x.py",
        "src:a/../../x.py",
        "src:a/./x.py",
        "src:a\\b.py",
        "src:C:/x.py",
        "src:a//b.py",
        "src:a/",
        "src:a b.py",
        "src:a\x00.py",
        "src:a\nb.py",
        "src:%2e%2e/x.py",
        "src:a.py::",
        "src:a.py#",
        "src:a.py::f#",
        "src:a.py#12",
        "src:a.py::f#L12",
        "src:a.py#L1-L9",
        "src:ä.py",
    ],
)
def test_no_address(written):
    with pytest.raises(BookError) as caught:
        Address.parse(written)
    assert caught.value.rule == "address-form"
    assert "src:<path" in caught.value.expected


def test_a_missing_scheme_is_offered():
    with pytest.raises(BookError) as caught:
        Address.parse("torch/autograd/graph.py::f")
    assert caught.value.nearest == "src:torch/autograd/graph.py::f"


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_an_error(text):
    for written in (text, f"src:{text}", f"src:a.py::{text}", f"src:a.py#{text}"):
        try:
            address = Address.parse(written)
        except BookError:
            continue
        assert ".." not in address.path.split("/")
        assert not address.path.startswith("/")


words = st.text(string.ascii_letters + "_:.()&<>, ", min_size=1, max_size=20).map(str.strip).filter(bool)


@given(words.filter(lambda word: "#" not in word), words)
def test_the_canonical_form_reads_back(symbol, text):
    address = Address.parse(f"src:a/b.h::{symbol}#{text}")
    assert Address.parse(str(address)) == address


def test_permalink():
    base = f"https://github.com/pytorch/pytorch/blob/{COMMIT}/a/b.py"
    assert permalink("a/b.py") == base
    assert permalink("a/b.py", 3, 3) == permalink("a/b.py", 3) == f"{base}#L3"
    assert permalink("a/b.py", 3, 9) == f"{base}#L3-L9"
