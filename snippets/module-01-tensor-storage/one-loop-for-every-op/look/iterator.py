"""TensorIterator, rebuilt small: what becomes of a result and its operands, and how the loop is called."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import torch
from torch import Tensor

GRAIN_SIZE = 32768
Number = bool | int | float | complex
Call = tuple[int, list[int], int, int]  # thread, where each operand begins in bytes, inner and outer length


# region shape
def broadcast(*shapes: Sequence[int]) -> list[int]:
    """From the last dimension on: the sizes are equal, or one of them is 1 or missing."""
    result = []
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        others = set(sizes) - {1}
        if len(others) > 1:
            raise ValueError(f"{shapes} do not fit")
        result.append(others.pop() if others else 1)
    return result[::-1]


# endregion


# region types
def category(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else int(dtype != torch.bool)


def combine(higher: torch.dtype | None, lower: torch.dtype | None) -> torch.dtype | None:
    """The type of two ranks: the higher one's, unless the lower one is of a higher category."""
    if higher is None or lower is None:
        return higher or lower
    if category(lower) <= category(higher):
        return higher
    return higher.to_complex() if higher.is_floating_point else lower


def of_number(number: Number) -> torch.dtype:
    if isinstance(number, complex):
        return torch.get_default_dtype().to_complex()
    return {bool: torch.bool, int: torch.int64, float: torch.get_default_dtype()}[type(number)]


def common_dtype(*operands: Tensor | Number) -> torch.dtype | None:
    """Promoted within each rank: tensors with dimensions, those without, numbers. Then across the ranks."""
    ranks: list[torch.dtype | None] = [None, None, None]
    for operand in operands:
        tensor = isinstance(operand, Tensor)
        rank = 2 if not tensor else 1 if operand.dim() == 0 else 0
        dtype = operand.dtype if tensor else of_number(operand)
        known = ranks[rank]
        ranks[rank] = torch.promote_types(known, dtype) if known else dtype
    return combine(ranks[0], combine(ranks[1], ranks[2]))


# endregion


# region strides
def byte_strides(tensor: Tensor, shape: Sequence[int]) -> list[int]:
    """The tensor's own, in bytes; 0 in a dimension that it has not, or that is stretched."""
    missing = len(shape) - tensor.dim()
    own = zip(tensor.shape, tensor.stride(), shape[missing:], strict=True)
    stretched = [0 if size == 1 and wanted != 1 else stride for size, stride, wanted in own]
    return [stride * tensor.element_size() for stride in [0] * missing + stretched]


def dense(tensor: Tensor) -> bool:
    """Whether its numbers fill a run of memory, in whatever order."""
    return torch._debug_has_internal_overlap(tensor) == 0


# endregion


class Loop:
    """What `build` makes of a result and its inputs: a shape, and strides for each of them."""

    # region build
    def __init__(self, *inputs: Tensor, out: Tensor | None = None) -> None:
        self.shape = broadcast(*(tensor.shape for tensor in inputs))
        self.dtype = common_dtype(*inputs)
        self.operands = [out, *(tensor.to(self.dtype) for tensor in inputs)]
        if not self.fast_set_up():
            self.strides = [[] if one is None else byte_strides(one, self.shape) for one in self.operands]
            order = self.reorder_dimensions()
            if out is None:
                self.allocate(order)
            self.coalesce_dimensions()

    # endregion

    # region fast
    def fast_set_up(self) -> bool:
        """All of one shape and without gaps: one run of memory each, whatever the number of dimensions."""
        out, known = self.operands[0], [one for one in self.operands if one is not None]
        if any(list(one.shape) != self.shape for one in known):
            return False
        if all(one.is_contiguous() for one in known):
            made = torch.empty(self.shape, dtype=self.dtype)
        elif all(one.is_contiguous(memory_format=torch.channels_last) for one in known):
            made = torch.empty(self.shape, dtype=self.dtype, memory_format=torch.channels_last)
        elif all(map(dense, known)) and len({one.stride() for one in known}) == 1:
            made = torch.empty_strided(self.shape, known[0].stride(), dtype=self.dtype)
        else:
            return False
        self.operands[0] = made if out is None else out
        self.shape = [math.prod(self.shape)] if self.shape else []
        self.strides = [[one.element_size()] * len(self.shape) for one in self.operands]
        return True

    # endregion

    # region reorder
    def comes_later(self, one: int, other: int) -> int:
        """1 if dimension `one` belongs behind `other`, -1 if before it, 0 if no operand knows."""
        for strides in self.strides:
            if not strides or strides[one] == 0 or strides[other] == 0:
                continue  # a result that is still to be made, or a stretched dimension: ask the next
            if strides[one] != strides[other]:
                return 1 if strides[one] > strides[other] else -1
            if self.shape[one] > self.shape[other]:
                return 1
        return 0

    def reorder_dimensions(self) -> list[int]:
        """By stride, the smallest first. The first operand that knows decides."""
        order = list(reversed(range(len(self.shape))))
        for end in range(1, len(order)):
            at = end
            for before in reversed(range(end)):
                verdict = self.comes_later(order[before], order[at])
                if verdict > 0:
                    order[before], order[at], at = order[at], order[before], before
                elif verdict < 0:
                    break
        self.shape = [self.shape[dim] for dim in order]
        self.strides = [[strides[dim] for dim in order] if strides else [] for strides in self.strides]
        return order

    # endregion

    # region allocate
    def allocate(self, order: list[int]) -> None:
        """A new result: without gaps, its dimensions in the order that was found."""
        strides = [math.prod(self.shape[:place]) for place in range(len(order))]
        shape = [self.shape[order.index(dim)] for dim in range(len(order))]
        stride = [strides[order.index(dim)] for dim in range(len(order))]
        if order == list(reversed(range(len(order)))):
            self.operands[0] = torch.empty(shape, dtype=self.dtype)
        else:
            self.operands[0] = torch.empty_strided(shape, stride, dtype=self.dtype)
        self.strides[0] = [stride * self.dtype.itemsize for stride in strides]

    # endregion

    # region coalesce
    def coalesce_dimensions(self) -> None:
        """Two neighbours are one if for each operand the outer one begins where the inner one ends."""
        shape, strides = self.shape[:1], [one[:1] for one in self.strides]
        for dim in range(1, len(self.shape)):
            size = self.shape[dim]
            ends = [one[-1] * shape[-1] for one in strides]
            if shape[-1] == 1 or size == 1 or ends == [one[dim] for one in self.strides]:
                if shape[-1] == 1:
                    for mine, one in zip(strides, self.strides, strict=True):
                        mine[-1] = one[dim]
                shape[-1] *= size
            else:
                shape.append(size)
                for mine, one in zip(strides, self.strides, strict=True):
                    mine.append(one[dim])
        self.shape, self.strides = shape, strides

    # endregion

    # region for-each
    def for_each(self, threads: int = 1, grain: int = GRAIN_SIZE) -> Iterator[Call]:
        """The calls of the loop, in pieces for so many threads."""
        numel = math.prod(self.shape)
        pieces = min(threads, -(-numel // grain)) if numel > grain else 1
        chunk = -(-numel // pieces)
        for thread in range(pieces):
            for call in self.serial_for_each(thread * chunk, min(thread * chunk + chunk, numel)):
                yield thread, *call

    def serial_for_each(self, begin: int, end: int) -> Iterator[tuple[list[int], int, int]]:
        """A part of the numbers, counted in the order of the loop, in calls of at most two dimensions."""
        shape = [*self.shape, 1, 1]
        while begin < end:
            index, rest = [], begin
            for size in shape:
                index.append(rest % size)
                rest //= size
            inner = min(shape[0] - index[0], end - begin)
            outer = min(shape[1] - index[1], (end - begin) // shape[0]) if inner == shape[0] else 1
            yield [sum(map(int.__mul__, index, strides)) for strides in self.strides], inner, outer
            begin += inner * outer

    # endregion

    # region add
    def add(self) -> Tensor:
        """The sum, of numbers of type float32, by addresses and strides alone."""
        base = [one.data_ptr() for one in self.operands]
        steps = [[*strides, 0, 0][:2] for strides in self.strides]
        for _, begin, inner, outer in self.for_each():
            for j in range(outer):
                for i in range(inner):
                    addresses = [
                        at + start + i * step[0] + j * step[1]
                        for at, start, step in zip(base, begin, steps, strict=True)
                    ]
                    out, *inputs = map(ctypes.c_float.from_address, addresses)
                    out.value = sum(one.value for one in inputs)
        return self.operands[0]

    # endregion
