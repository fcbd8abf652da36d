"""Symbols of Python files: the ranges, the choice among several, the errors."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.pins import python_symbols
from inside_torch.pins.address import Address
from inside_torch.pins.resolve import resolve

FILE = '''\
import functools
from typing import overload

LIMIT: int = 3
a, (b, c) = 1, (2, 3)
table = {
    "x": 1,
}


@functools.cache
def plain(x):
    """One."""

    def inner():
        return x

    if x:
        class Local:
            field = 0
    return inner


@overload
def typed(x: int) -> int: ...
@_overload
def typed(x: str) -> str: ...
def typed(x):
    return x


class C(
    object
):
    at = 1

    @property
    def p(self):
        return 1

    @p.setter
    def p(self, value):
        pass

    async def m(self):
        pass


try:
    import fast
except ImportError:
    def late():
        return "slow"
else:
    def late():
        return "fast"

plain = functools.wraps(plain)(plain)
'''


def lines(symbol: str, text: str | None = None) -> list[tuple[int, int]]:
    chosen = python_symbols.choose(Address("x.py", symbol, text), python_symbols.symbols(FILE, "x.py"))
    return [(found.first, found.last) for found in chosen]


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        ("LIMIT", 4, 4),
        ("a", 5, 5),
        ("c", 5, 5),
        ("table", 6, 8),
        ("plain", 11, 21),
        ("plain.inner", 15, 16),
        ("plain.Local", 19, 20),
        ("plain.Local.field", 20, 20),
        ("typed", 28, 29),
        ("C", 32, 47),
        ("C.at", 35, 35),
        ("C.p", 37, 39),
        ("C.m", 45, 46),
    ],
)
def test_ranges(symbol, first, last):
    if symbol == "C":
        last = 46
    assert lines(symbol) == [(first, last)]


def test_branches_are_ambiguous_until_a_text_tells_them_apart():
    with pytest.raises(BookError) as caught:
        lines("late")
    assert caught.value.rule == "pin-ambiguous"
    assert "lines 52-53" in caught.value.nearest and "lines 55-56" in caught.value.nearest
    assert lines("late", "fast") == [(52, 53), (55, 56)]


def test_an_unknown_symbol_names_the_nearest():
    with pytest.raises(BookError) as caught:
        lines("plain.iner")
    assert caught.value.rule == "pin-symbol" and caught.value.nearest.startswith("plain.inner")
    with pytest.raises(BookError) as caught:
        lines("inner")
    assert "plain.inner" in caught.value.nearest


def test_a_file_for_a_newer_python_is_one_error():
    with pytest.raises(BookError, match=r"cannot read x\.py") as caught:
        python_symbols.symbols("def f(:\n", "x.py")
    assert caught.value.rule == "pin-syntax"


@pytest.mark.parametrize(
    ("address", "first", "last", "starts", "ends"),
    [
        (
            "torch/autograd/graph.py::_engine_run_backward",
            966,
            989,
            "def _engine_run_backward(",
            "_remove_obj_from_tls",
        ),
        ("torch/nn/modules/module.py::Module.__call__", None, None, "__call__", "_wrapped_call_impl"),
        ("torch/autograd/grad_mode.py::no_grad", None, None, "class no_grad", "set_grad_enabled"),
    ],
)
def test_in_the_wheel(sources, address, first, last, starts, ends):
    pin = resolve(f"src:{address}", sources)
    text = sources.read(pin.address.path).lines
    assert starts in text[pin.first - 1] and ends in text[pin.last - 1]
    assert first is None or (pin.first, pin.last) == (first, last)
    assert pin.evidence == "text"


def test_text_narrows_to_one_line(sources):
    whole = resolve("src:torch/autograd/graph.py::_engine_run_backward", sources)
    one = resolve("src:torch/autograd/graph.py::_engine_run_backward#attach_logging_hooks  =", sources)
    assert one.first == one.last and whole.first < one.first < whole.last
    with pytest.raises(BookError) as caught:
        resolve("src:torch/autograd/graph.py::_engine_run_backward#attach_logging_hooks", sources)
    assert caught.value.rule == "pin-text" and f"line {one.first}:" in caught.value.nearest
    with pytest.raises(BookError) as caught:
        resolve("src:torch/autograd/graph.py::_engine_run_backward#attach_log_hooks = log", sources)
    assert f"line {one.first}:" in caught.value.nearest


def test_a_text_that_is_a_whole_line_means_that_line(sources):
    header = "src:torch/csrc/autograd/node.h::Node"
    with pytest.raises(BookError):
        resolve(f"{header}#NOTE [ Topological Number ]", sources)
    assert resolve(f"{header}#// NOTE [ Topological Number ]", sources).lines == "line 358"
