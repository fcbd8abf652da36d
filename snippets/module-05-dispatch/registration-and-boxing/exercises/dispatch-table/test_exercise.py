"""Holds the computed table against the dispatcher's, for an operator that is registered anew each time."""

import random
import re

import pytest
import torch
from exercise import FALLBACK, entry
from torch.library import Library

ALIASES = [
    "CompositeExplicitAutogradNonFunctional",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutogradNestedTensor",
    "CompositeImplicitAutograd",
    "Autograd",
    "FuncTorchBatchedDecomposition",
]
RUNTIME = [
    *("Undefined", "CPU", "CUDA", "Meta", "XLA", "Lazy", "PrivateUse1", "QuantizedCPU", "SparseCPU"),
    *("NestedTensorCPU", "BackendSelect", "Python", "Functionalize", "Conjugate", "ADInplaceOrView"),
    *("AutogradOther", "AutogradCPU", "AutogradCUDA", "AutogradXLA", "AutogradMeta", "AutogradNestedTensor"),
    *("AutocastCPU", "FuncTorchBatched"),
]
FALLBACKS = {
    key
    for key in RUNTIME[1:]
    if torch._C._dispatch_has_backend_fallback(torch._C.DispatchKey.__members__[key])
}


def dispatcher_table(registered: set[str]) -> dict[str, tuple[str, str] | None]:
    """Register a kernel for each key with the dispatcher, and read the table that it computes."""
    definition = Library("book_exercise", "DEF")
    definition.define("op(Tensor x) -> Tensor")
    # A library of its own for each key, so that the "file" in the dump says which kernel it is.
    handles = [torch._C._dispatch_library("IMPL", "book_exercise", "", key, 0) for key in sorted(registered)]
    for key, handle in zip(sorted(registered), handles, strict=True):
        handle.impl("op", key, lambda x: x, False)
    lines = dict(re.findall(r"^(\w+): (.*)$", torch._C._dispatch_dump_table("book_exercise::op"), re.M))
    for handle in handles:
        handle.reset()
    definition._destroy()

    def read(line: str) -> tuple[str, str]:
        source, rule = re.fullmatch(r"(.*) \[(.*)\]", line).groups()
        if rule == "ambiguous autogradother":
            return "AutogradOther", rule
        return (FALLBACK if rule == "backend fallback" else source.split()[-1].split(":")[0]), rule

    return {key: read(lines[key]) if key in lines else None for key in RUNTIME}


def check(*registered: str) -> None:
    for key, expected in dispatcher_table(set(registered)).items():
        found = entry(key, set(registered), FALLBACKS)
        assert found == expected, (
            f"registered: {sorted(registered)}\n"
            f"slot {key}\n    yours:          {found}\n    the dispatcher: {expected}"
        )


def test_with_nothing_registered_there_are_the_fallbacks():
    check()


def test_a_kernel_of_its_own_beats_all_aliases():
    check("CPU", *ALIASES)


@pytest.mark.parametrize("alias", ALIASES)
def test_one_alias_alone(alias):
    check(alias)


def test_a_backend_kernel_takes_the_composite_out_of_its_autograd_slot():
    check("CompositeImplicitAutograd", "CPU")


def test_the_explicit_composite_takes_it_out_of_all_of_them():
    check("CompositeImplicitAutograd", "CompositeExplicitAutograd")


def test_a_backend_on_the_list_of_autograd_other_is_ambiguous():
    check("CompositeImplicitAutograd", "QuantizedCPU")


def test_any_registrations():
    draw = random.Random(2_13)
    for _ in range(200):
        check(*draw.sample(ALIASES + RUNTIME[1:], draw.randint(1, 8)))
