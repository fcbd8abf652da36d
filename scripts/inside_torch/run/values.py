"""Whether two printed texts say the same: numbers by value, all else character by character.

The last bit of a float differs between processors, and torch lays out a whole tensor by it: ``1.`` is
printed as ``1.0000`` where another element is off a whole number by one bit, columns grow and lines break
elsewhere. So

- a float (with a point or an exponent, ``inf`` and ``nan``) equals another within a relative 1e-5. An integer
  is compared as text, and so is what only looks like a float: ``2.13.0``, ``0x7f1e5``, ``v1.5``;
- blanks beside a float may be more or fewer, but not none;
- between the brackets of a tensor, where commas and brackets hold the structure, all blanks and line breaks
  after one of them are the same, and two numbers both smaller than a millionth of its largest count as zero:
  eight times the spacing of float32, which is what rounding the large one leaves. Elsewhere 0.0 equals 0.0
  alone, and -0.0 only -0.0.

Two numbers of two parts are floats, whatever they mean: 3.1 equals 3.10.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

RELATIVE = 0.99e-5  # a little less than from 9.9999 to 10.0000, which a tensor prints so
ZERO = 1e-6  # of the largest number of a tensor

#: What is left of a complex number after its real part, or after the digits of its imaginary one.
_J = r"(?=j\b|[-+](?:\d[\d.]*(?:[eE][-+]\d+)?|inf|nan)j\b)"
#: A float, with the sign before it where that belongs to no name; none is in 2.13.0, v1.5, 1.5.so, 0x1.8p+1
#: or 05.5. A whole float, ``1.``, is told from the end of a sentence by what follows it; the parts of
#: ``(1+2j)`` are floats too. An exponent has a sign and two digits, as all print it and no hash has it.
_FLOAT = re.compile(
    r"(?:(?<![\w.)\]])[-+]|(?<=[\d.fn])[-+](?=[\d.einf+na-]+j\b)|(?<![\w.]))"
    r"(?:(?:0|[1-9]\d*)"
    rf"(?:\.\d+(?:[eE][-+]\d{{2,3}})?|\.?[eE][-+]\d{{2,3}}|\.(?=[ ]*[,)\]])|\.?{_J})(?!\.?\d|\.\w)"
    r"|(?:inf|nan)(?=j\b|(?![\w.])))"
)
#: The brackets of a tensor as torch prints it, and what may follow them on a line of its own.
_TENSOR = re.compile(
    r"(?<=\w\()(\[(?:[\[\]\s\d.,+-]|e(?=[-+])|j|inf|nan|True|False)*\])"
    r"((?:,\s+(?:device|dtype|grad_fn|layout|requires_grad)=[^\s,()]+)*)"
)


@dataclass(frozen=True)
class _Number:
    """A float of a text: where it stands, and the number of the tensor that it stands in, if in one."""

    start: int
    end: int
    value: float
    tensor: int | None


def equal(one: str, other: str) -> bool:
    """Whether two printed texts are the same by value."""
    if one == other:
        return True
    one, other = _laid_out(one), _laid_out(other)
    numbers, others = list(_numbers(one)), list(_numbers(other))
    if len(numbers) != len(others) or _rest(one, numbers) != _rest(other, others):
        return False
    largest: dict[int | None, float] = {}
    for number in numbers + others:
        if number.tensor is not None and math.isfinite(number.value):
            largest[number.tensor] = max(largest.get(number.tensor, 0.0), abs(number.value))
    return all(
        number.tensor == mate.tensor and _close(number.value, mate.value, largest.get(number.tensor))
        for number, mate in zip(numbers, others, strict=True)
    )


def _close(one: float, other: float, largest: float | None) -> bool:
    """Whether two floats are the same; ``largest`` is the largest number of the tensor that they stand in."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    if largest is not None and max(abs(one), abs(other)) <= ZERO * largest:
        return True
    if one == 0 == other:
        return math.copysign(1, one) == math.copysign(1, other) or largest is not None
    return math.isclose(one, other, rel_tol=RELATIVE)


def _laid_out(text: str) -> str:
    """The text with the tensors in it on one line each, their columns not aligned."""

    def line(match: re.Match[str]) -> str:
        inner = re.sub(r"(?<=\[)\s+", "", match[1])
        return re.sub(r"(?<=,)\s+", " ", inner + match[2])

    return _TENSOR.sub(line, text)


def _numbers(text: str) -> Iterator[_Number]:
    """The floats of a text, in their order."""
    tensors = [match.span(1) for match in _TENSOR.finditer(text)]
    for match in _FLOAT.finditer(text):
        inside = (at for at, (start, end) in enumerate(tensors) if start <= match.start() < end)
        value = float(match[0])
        if math.isinf(value) and "inf" not in match[0]:
            continue  # more than a float holds: digits of something else
        yield _Number(*match.span(), value, next(inside, None))


def _rest(text: str, numbers: list[_Number]) -> list[str]:
    """What stands before, between and after the numbers, the blanks beside a number as one."""
    starts = [0, *(number.end for number in numbers)]
    ends = [*(number.start for number in numbers), len(text)]
    rest = []
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        part = text[start:end]
        if at:
            part = re.sub(r"^ +", " ", part)
        if at < len(numbers):
            part = re.sub(r" +$", " ", part)
        rest.append(part)
    return rest
