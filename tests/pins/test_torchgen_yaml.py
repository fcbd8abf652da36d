"""Entries of the YAML files, at their lines."""

from __future__ import annotations

import pytest
import yaml as pyyaml
from inside_torch.errors import BookError
from inside_torch.pins import torchgen_yaml
from inside_torch.pins.address import Address
from inside_torch.pins.resolve import resolve

FILE = """\
# a comment
- func: add.Tensor(Tensor self) -> Tensor
  variants: function

  # a comment of the entry
  tags: core

# a comment of the next one
- func: add.out(Tensor self) -> Tensor
  device_check: NoCheck
- func: twice(Tensor self) -> Tensor
- func: twice(Tensor self, int n) -> Tensor
"""


def test_ranges():
    found = {symbol.name: (symbol.first, symbol.last) for symbol in torchgen_yaml.symbols(FILE.split("\n"))}
    assert found == {"add.Tensor": (2, 6), "add.out": (9, 10), "twice": (12, 12)}


@pytest.mark.parametrize(("symbol", "rule"), [("add.Tenso", "pin-symbol"), ("twice", "pin-ambiguous")])
def test_errors(symbol, rule):
    with pytest.raises(BookError) as caught:
        torchgen_yaml.choose(Address("x.yaml", symbol), torchgen_yaml.symbols(FILE.split("\n")))
    assert caught.value.rule == rule and caught.value.nearest


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("aten/src/ATen/native/native_functions.yaml", "func"),
        ("tools/autograd/derivatives.yaml", "name"),
        ("aten/src/ATen/native/tags.yaml", "tag"),
    ],
)
def test_the_lines_are_those_of_a_yaml_parser(sources, path, key):
    """Every fiftieth entry, read alone, is the entry that a parser finds in the whole file."""
    source = sources.read(path)
    loader = getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)
    entries = pyyaml.load(source.text, Loader=loader)
    symbols = torchgen_yaml.symbols(source.lines)
    assert len(symbols) == len(entries)
    for symbol, entry in list(zip(symbols, entries, strict=True))[::50]:
        part = "".join(f"{line}\n" for line in source.lines[symbol.first - 1 : symbol.last])
        assert pyyaml.load(part, Loader=loader) == [entry]
        assert entry[key].partition("(")[0] == symbol.name


def test_in_the_wheel(sources):
    pin = resolve("src:aten/src/ATen/native/native_functions.yaml::add.Tensor", sources)
    assert (pin.first, pin.last) == (536, 546)
    one = resolve("src:aten/src/ATen/native/native_functions.yaml::add.Tensor#structured_delegate", sources)
    assert one.first == one.last == 538
