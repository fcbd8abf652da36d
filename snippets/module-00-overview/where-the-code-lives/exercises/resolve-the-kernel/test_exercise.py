"""Your answers against the dispatcher of this build, and against the names in its library."""

import mmap
import re
from functools import cache
from pathlib import Path

import pytest
import torch
from exercise import entries, resolve

LIBRARY = next((Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"))
ENTRIES = entries()


def registered(operator):
    """The key whose registration the dispatcher uses for a CPU tensor; None where there is none."""
    table = torch._C._dispatch_dump_table(f"aten::{operator}")
    place = re.search(r"^CPU: .*?Register(\w+?)_\d+\.cpp", table, re.MULTILINE)
    return place and place[1]


@cache
def library():
    with LIBRARY.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def compiled(kernel):
    """Whether the library defines a function of this name in at::native."""
    mangled = "".join(f"{len(part)}{part}" for part in kernel.split("::"))
    return library().find(f"_ZN2at6native{mangled}E".encode()) >= 0


@pytest.mark.parametrize(
    "operator",
    [
        "native_layer_norm",  # a kernel of its own
        "layer_norm",  # composed of other operators
        "linear",
        "add.Scalar",  # composed, with a derivative
        "mm",  # structured: the kernel is that of another entry
        "sigmoid_",
        "sigmoid.out",
        "add_.Tensor",  # structured, and the kernel is generated
        "narrow",  # no dispatch at all
        "square.out",  # the same, in the form that writes to an argument
        "softmax.int",  # no dispatch, and an overload
        "roll",
    ],
)
def test_one_operator(operator):
    key, kernel = resolve(operator, ENTRIES)
    assert (operator, key) == (operator, registered(operator)), "the dispatcher says another key"
    assert compiled(kernel), f"libtorch_cpu has no at::native::{kernel}"


@pytest.mark.parametrize("operators", [("square", "square.out"), ("svd", "svd.U"), ("square", "square_")])
def test_a_form_that_writes_is_a_function_of_its_own(operators):
    allocates, writes = (resolve(operator, ENTRIES)[1] for operator in operators)
    assert allocates != writes, f"at::native::{allocates} both allocates its result and writes to an argument"
    assert compiled(writes), f"libtorch_cpu has no at::native::{writes}"


def test_two_tensors_and_a_tensor_and_a_number():
    tensors, number = (resolve(operator, ENTRIES)[1] for operator in ("add.Tensor", "add.Scalar"))
    assert tensors != number, f"at::native::{number} adds a number"


def test_nothing_for_the_cpu():
    with pytest.raises(LookupError):
        resolve("cudnn_convolution", ENTRIES)


def test_every_operator_by_its_key():
    """All entries at once: the key must be the one that the dispatcher uses."""
    wrong = {}
    for operator in ENTRIES:
        if (key := registered(operator)) is None:
            continue
        try:
            answer = resolve(operator, ENTRIES)[0]
        except LookupError:
            answer = None
        if answer != key:
            wrong[operator] = f"{answer}, the dispatcher says {key}"
    assert not wrong, f"{len(wrong)} of {len(ENTRIES)}: {dict(list(wrong.items())[:10])}"
