"""What this article says of autocast's lists and of its cache, counted."""

import sys
import unittest
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted, has_kernel
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "exercises" / "predict-the-casts")]
import policies  # noqa: E402
from solution import CastCache  # noqa: E402

#: The lists of the header, and what they do.
MACROS = {
    "LOWER_PRECISION_FP": "cast to half",
    "FP32": "cast to float32",
    "FP32_SET_OPT_DTYPE": "dtype=float32 passed",
    "DIFFERENT_REDISPATCH_SIGNATURE": "another overload, with a dtype",
    "PROMOTE": "cast to the widest",
}
BACKENDS = ("CPU", "CUDA", "MPS", "XPU", "MTIA", "MAIA")


@cache
def found(backend: str) -> dict[str, str]:
    return policies.policies(backend)


@cache
def in_header() -> dict[str, str]:
    """Each operator of the header's lists, with what its list does."""
    text = (Path(torch.__file__).parent / "include/ATen/autocast_mode.h").read_text(encoding="utf-8")
    names = {}
    for macro, kind in MACROS.items():
        body = text.partition(f"#define AT_FORALL_{macro}(_)")[2].partition("\n\n")[0]
        for entry in body.split("_(")[1:]:
            if '"' in entry:
                names[entry.split('"')[1]] = kind
            else:
                names[entry.partition(")")[0].replace(", ", ".")] = kind
    return names


@counted(lambda: policies.listed("CUDA"), planted="add.Tensor", minimum=100, build="cpu")
def cuda_as_in_the_header(name: str) -> bool:
    """What CUDA's autocast does to an operator is what the header's list that names it says."""
    return name in in_header() and found("CUDA").get(name) == in_header()[name]


def everywhere() -> list[str]:
    """The operators that stand in the list of some backend."""
    return sorted({name for backend in BACKENDS for name in policies.listed(backend)})


@counted(everywhere, planted="addmm_", minimum=150)
def listed_does_not_write(name: str) -> bool:
    """The schema of an operator that autocast has a kernel for names no argument that is written."""
    return not policies.operator(name)._schema.is_mutable


@counted(lambda: policies.listed("CUDA"), planted="add.Tensor", minimum=100)
def other_lists_are_cudas(name: str) -> bool:
    """An operator of CUDA's list is on the lists of XPU, MTIA and MAIA, which hold no other."""
    others = ("XPU", "MTIA", "MAIA")
    assert all(set(policies.listed(backend)) <= set(policies.listed("CUDA")) for backend in others)
    return all(has_kernel(f"aten::{name}", f"Autocast{backend}") for backend in others)


@cache
def samples_of() -> dict[str, Any]:
    """What PyTorch's own tests call each operator with, by the operator's name."""
    if "expecttest" not in sys.modules:  # the module of samples imports it, and uses nothing of it
        stub = ModuleType("expecttest")
        stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        stub.assert_expected_inline = None  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stub
    from torch.testing._internal.common_methods_invocations import op_db

    known: dict[str, Any] = {}
    for info in op_db:
        for name in (info.aten_name, info.name.replace(".", "_"), info.name.removeprefix("nn.functional.")):
            if name and not info.name.startswith("sparse."):
                known.setdefault(name, info)
    return known


def sampled() -> dict[str, tuple[str, Any]]:
    """The operators that CPU's autocast casts to half or to float32, as far as there are samples for them."""
    kinds = {name.partition(".")[0]: kind for name, kind in found("CPU").items()}
    return {
        name: (kind, samples_of()[name])
        for name, kind in kinds.items()
        if name in samples_of() and kind != "cast to the widest"
    }


def tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from tensors(each)


@counted(sampled, planted=lambda: ("cast to half", samples_of()["add"]), minimum=70, build="cpu")
def results_follow_the_list(case: tuple[str, Any]) -> bool:
    """On the CPU, what is cast to half makes bfloat16 of float32, and what is cast to float32 no bfloat16."""
    kind, info = case
    to_half = kind == "cast to half"
    given = torch.float32 if to_half else torch.bfloat16
    wanted = {torch.bfloat16} if to_half else {torch.float32, torch.complex64}
    ended = 0
    for sample in info.sample_inputs("cpu", torch.float32, requires_grad=False):
        cast = sample.transform(
            lambda each: each.to(given) if isinstance(each, Tensor) and each.is_floating_point() else each
        )
        if ended == 8:
            break
        with torch.autocast("cpu"):
            result = info(cast.input, *cast.args, **cast.kwargs)
        ended += 1
        types = {each.dtype for each in tensors(result) if each.is_floating_point() or each.is_complex()}
        if not types <= wanted:
            return False
    return ended > 0


class Casts(TorchDispatchMode):
    """Counts the casts below autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += operator in (torch.ops.aten._to_copy.default, torch.ops.aten.to.dtype)
        return operator(*args, **(kwargs or {}))


NAMES = st.sampled_from(["v", "w", "frozen"])
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("enter"), st.booleans()),
        st.tuples(st.just("leave")),
        st.tuples(st.just("write"), NAMES),
        st.tuples(st.just("clear")),
        st.tuples(st.just("use"), NAMES, st.sampled_from(["grad", "no_grad", "inference_mode"])),
        st.tuples(st.just("use"), NAMES, st.just("grad")),
    ),
    min_size=8,
    max_size=40,
).map(lambda events: [("enter", True), *events])
MODES = {"grad": torch.enable_grad, "no_grad": torch.no_grad, "inference_mode": torch.inference_mode}


def forgotten() -> list[tuple[Any, ...]]:
    """Events after which the model has lost a cast that torch still keeps."""
    return [("enter", True), ("use", "w", "grad"), ("drop",), ("use", "w", "grad")]


@counted(cases(EVENTS, count=300), planted=forgotten)
def cache_is_this_model(events: list[tuple[Any, ...]]) -> bool:
    """Of generated regions, writes and products the exercise's solution tells casts and values."""
    model = CastCache()
    weights = {
        name: torch.zeros(1, 1, device="cpu", requires_grad=name != "frozen") for name in ("v", "w", "frozen")
    }
    versions = dict.fromkeys(weights, 0)
    regions: list[tuple[Any, bool]] = []
    right = True
    one = torch.ones(1, 1, dtype=torch.bfloat16, device="cpu")
    for kind, *rest in [*events, *[("leave",)] * len(events)]:
        if kind == "enter":
            region = torch.autocast("cpu", torch.bfloat16, cache_enabled=rest[0])
            region.__enter__()
            regions.append((region, rest[0]))
            model.enter()
        elif kind == "leave" and regions:
            regions.pop()[0].__exit__(None, None, None)
            model.leave()
        elif kind == "write":
            versions[rest[0]] += 1
            weights[rest[0]].data.fill_(versions[rest[0]])
        elif kind == "clear":
            torch.clear_autocast_cache()
            model.kept.clear()
        elif kind == "drop":  # the planted counterexample: the model forgets, and torch does not
            model.kept.clear()
        elif kind == "use" and regions:
            name, mode = rest
            cached = weights[name].requires_grad and mode != "inference_mode" and regions[-1][1]
            said = model.use(name, versions[name], cached)
            with MODES[mode](), Casts() as casts:
                product = one @ weights[name]
            right = right and said == (casts.count == 1, int(product.item()))
    return right
