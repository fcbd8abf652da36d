"""Holds the prediction against the dispatcher: each kernel of these operators notes its own key."""

import pytest
import torch
from exercise import ALL_BACKENDS, effective, highest, stops
from torch._C import DispatchKeySet

visited: list[str] = []
received: list[int] = []

BACKENDS = ("CPU", "Meta", "SparseCPU")
UPPER = ("AutocastCPU", "AutogradCPU", "AutogradMeta", "Conjugate")


def define(library: torch.library.Library, operator: str, upper: tuple[str, ...]) -> None:
    """An operator with kernels at `upper`, which hand the call on, and at the backends, which end it."""
    library.define(f"{operator}(Tensor x, Tensor[] rest, Tensor? last, float scale) -> Tensor")

    def passing_on(key: str):
        below = torch._C._dispatch_keyset_full_after(torch._C._dispatch_key_parse(key))

        def kernel(keys: DispatchKeySet, *arguments):
            visited.append(key)
            received.append(keys.raw_repr())
            return getattr(torch.ops.stops, operator).default.redispatch(keys & below, *arguments)

        return kernel

    def ending(key: str):
        def kernel(keys: DispatchKeySet, *arguments):
            visited.append(key)
            received.append(keys.raw_repr())
            return torch.empty(0)

        return kernel

    for key in upper:
        library.impl(operator, passing_on(key), key, with_keyset=True)
    for key in BACKENDS:
        library.impl(operator, ending(key), key, with_keyset=True)


@pytest.fixture(scope="module", autouse=True)
def operators():
    with torch.library._scoped_library("stops", "DEF") as library:
        define(library, "few", UPPER)
        # A kernel at BackendSelect is a stop, though it lies below Conjugate: it ends no call.
        define(library, "many", (*UPPER, "ADInplaceOrView", "BackendSelect"))
        yield


def check(operator: str, *arguments):
    """Predicts, then calls."""
    full_name = f"stops::{operator}"
    keys, predicted = effective(full_name, list(arguments)), stops(full_name, list(arguments))
    visited.clear()
    received.clear()
    getattr(torch.ops.stops, operator)(*arguments)
    assert predicted == visited, f"\n    predicted: {predicted}\n    visited:   {visited}"
    assert keys == received[0], (
        f"\n    effective: {DispatchKeySet.from_raw_repr(keys)} {keys:#x}"
        f"\n    received:  {DispatchKeySet.from_raw_repr(received[0])} {received[0]:#x}"
    )


@pytest.fixture
def x():
    return torch.ones(3, device="cpu")


@pytest.fixture
def meta():
    return torch.ones(3, device="meta")


def test_the_highest_key_of_every_pair_of_bits():
    full = torch._C._dispatch_keyset_full().raw_repr()
    one_bit = [1 << bit for bit in range(full.bit_length())]
    for keys in (one | other for one in one_bit for other in one_bit):
        expected = DispatchKeySet(DispatchKeySet.from_raw_repr(keys).highestPriorityTypeId()).raw_repr()
        assert highest(keys) == expected, f"of {keys:#x}: {highest(keys):#x}, not {expected:#x}"
    assert highest(0) == highest(ALL_BACKENDS) == 0


@pytest.mark.parametrize("operator", ["few", "many"])
def test_a_fallthrough_is_no_stop(operator, x):
    check(operator, x, [], None, 1.0)


def test_requires_grad_makes_no_difference(x):
    check("many", x.requires_grad_(), [], None, 1.0)


def test_every_tensor_counts_wherever_it_hides(x, meta):
    check("many", x, [meta], None, 1.0)
    check("many", x, [], meta, 1.0)
    check("many", x, [x, x.to_sparse()], None, 1.0)


def test_a_tensor_can_carry_work_to_be_done(x):
    check("many", (x + 0j).conj(), [], None, 1.0)


@pytest.mark.parametrize("operator", ["few", "many"])
@pytest.mark.parametrize(
    "mode",
    [torch.no_grad, torch.inference_mode, lambda: torch.autocast("cpu"), torch._C._AutoDispatchBelowAutograd],
    ids=["no_grad", "inference_mode", "autocast", "below-autograd"],
)
def test_the_state_of_the_thread_counts(operator, mode, x):
    with mode():
        check(operator, x, [], None, 1.0)


def test_a_tensor_made_in_inference_mode_stays_different():
    with torch.inference_mode():
        frozen = torch.ones(3, device="cpu")
        check("many", frozen, [], None, 1.0)
    check("many", frozen, [], None, 1.0)


def test_excluding_a_key_leaves_the_backends_alone(x, meta):
    """And takes autograd from every backend, not from the CPU alone."""
    with torch._C._ExcludeDispatchKeyGuard(DispatchKeySet(torch._C.DispatchKey.AutogradCPU)):
        check("many", x, [], None, 1.0)
        check("many", meta, [], None, 1.0)


def test_exclusion_wins_over_inclusion(x):
    """The thread includes `ADInplaceOrView`, and so does the tensor."""
    with torch._C._ExcludeDispatchKeyGuard(DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)):
        check("many", x, [], None, 1.0)
