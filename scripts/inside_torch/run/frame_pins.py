"""Whether the address that a trace file gives a C++ frame is that of the frame's function."""

from __future__ import annotations

import re

from inside_torch.pins.address import Address

#: Components of a symbol that stand for something without a name of its own in the source.
_NAMELESS = re.compile(r"\{lambda.*\}|_FUN|\(anonymous namespace\)")
#: What torchgen puts before the name of an operator: at::(anonymous namespace)::wrapper_CPU_add_Tensor.
_WRAPPER = re.compile(r"(?:wrapper_[A-Za-z]+_)?(?:structured_)?")


def agrees(symbol: str, address: str) -> bool:
    """Whether an address means a frame's function, its class, or the YAML entry that it is generated from.

    ``symbol`` has no arguments: ``torch::autograd::Engine::execute``. A lambda has the address of the
    function around it. Of an address that is a whole file nothing finer is known: it agrees.
    """
    place = Address.parse(address)
    if place.symbol is None and place.text is None:
        return True
    parts = [part for part in symbol.split("::") if not _NAMELESS.fullmatch(part)]
    if parts[-1] == "operator()" and len(parts) < len(symbol.split("::")) and "lambda" in symbol:
        parts.pop()
    if place.path.endswith(".yaml"):
        return place.symbol is not None and any(_is_entry(part, place.symbol) for part in parts[-2:])
    named = _parts(place.symbol or "")
    if place.text is not None:
        words = re.findall(r"operator\W*|~?\w+", place.text)
        return _ends(parts, named) or (parts[-1] in words and (not named or _ends(parts[:-1], named)))
    return _ends(parts, named) or _ends(parts[:-1], named)


def _parts(symbol: str) -> list[str]:
    """The components of an address's symbol, without arguments: ``Node::operator()(…)`` gives two."""
    text = re.sub(r"(?<!operator)\(.*\)$", "", symbol)
    return [part for part in text.split("::") if part]


def _ends(parts: list[str], named: list[str]) -> bool:
    return bool(named) and parts[-len(named) :] == named


def _is_entry(part: str, entry: str) -> bool:
    """Whether a part is made from a YAML entry: ``add_out`` and ``AddBackward0`` from ``add.out``."""
    base, _, overload = entry.partition(".")
    spelled = _WRAPPER.sub("", part, count=1)
    # What is done in place has the entry of what is not in derivatives.yaml.
    if spelled in (entry.replace(".", "_"), "_".join(filter(None, (f"{base}_", overload)))):
        return True
    node = re.fullmatch(r"~?(\w+?)Backward\d*", part)
    return node is not None and re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", node[1]).lower() == base
