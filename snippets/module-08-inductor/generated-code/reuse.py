"""What is made again, and what is found, when a function is compiled a second time with something changed."""

import os
import pickle
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import torch
from torch import Tensor
from torch._dynamo.utils import counters
from torch._inductor import config
from torch._inductor.codecache import CppCodeCache


# region functions
def scaled(x: Tensor, y: Tensor) -> Tensor:
    """The function."""
    return (x * 2 + y).relu()


def renamed(left: Tensor, right: Tensor) -> Tensor:
    """The same with other names, and with names for what is between."""
    doubled = left * 2
    total = doubled + right
    return total.relu()


def exchanged(x: Tensor, y: Tensor) -> Tensor:
    """With the operands of the sum exchanged."""
    return (y + x * 2).relu()


# endregion


# region cases
def cases() -> dict[str, tuple[Callable, tuple[Tensor, Tensor], dict]]:
    """What is compiled, one after the other, with one folder for all."""
    x, y = torch.rand(1000), torch.rand(1000)
    return {
        "the first time": (scaled, (x, y), {}),
        "once more": (scaled, (x, y), {}),
        "other numbers": (scaled, (y, x), {}),
        "other names": (renamed, (x, y), {}),
        "a setting for AMD": (scaled, (x, y), {"rocm.is_debug": True}),
        "two dimensions": (scaled, (x.view(20, 50), y.view(20, 50)), {}),
        "operands exchanged": (exchanged, (x, y), {}),
        "one number more": (scaled, (torch.rand(1001), torch.rand(1001)), {}),
    }


# endregion


def found(counter: Counter, cache: str) -> str:
    """What a cache answered."""
    return next((word for word in ("hit", "miss") if counter[f"{cache}_{word}"]), "not asked")


def table(folder: Path) -> None:
    """A line for each case."""
    print(f"{'':20}{'AOTAutograd':13}{'graph':8}{'looked for':12}new libraries")
    libraries, look = set(), CppCodeCache.load_async.__func__
    for name, (function, inputs, settings) in cases().items():
        torch._dynamo.reset()
        counters.clear()
        looked = mock.Mock(side_effect=look)
        with (
            torch.no_grad(),
            config.patch(settings),
            mock.patch.object(
                CppCodeCache, "load_async", classmethod(lambda *a, looked=looked, **k: looked(*a, **k))
            ),
        ):
            torch.compile(function)(*inputs)
        before, libraries = libraries, set(folder.glob("*/*.so"))
        answers = (
            found(counters["aot_autograd"], "autograd_cache"),
            found(counters["inductor"], "fxgraph_cache"),
        )
        print(f"{name:20}{answers[0]:13}{answers[1]:8}{looked.call_count:<12}{len(libraries - before)}")


def contents(folder: Path) -> None:
    """What lies in the folder, by its place and its kind."""
    kinds = Counter()
    for file in folder.rglob("*"):
        if file.is_file():
            top = file.relative_to(folder).parts[0]
            top = "??" if len(top) == 2 else top
            kinds[f"{top}/… {''.join(file.suffixes) or 'no suffix'}"] += 1
    for kind, number in sorted(kinds.items()):
        print(f"{kind:28}{number}")


# region entry
def entry(folder: Path) -> None:
    """One graph of those that are kept."""
    file = min((folder / "fxgraph").rglob("*/*/*"), key=lambda file: file.stat().st_mtime_ns)
    graph = pickle.loads(file.read_bytes())
    print("entry:", type(graph).__name__)
    print("the wrapper's text is in it:", graph.source_code.count("def call(self, args):"))
    print("machine code is in it:", b"\x7fELF" in file.read_bytes())
    print("the module is:", graph.current_callable)
    print("guards:", repr(graph.guards_expr))


# endregion


# region debugged
def debugged(folder: Path) -> None:
    """What a run that is to be debugged leaves, when its graph is found and when caches are off."""
    for off in False, True:
        place = folder / f"debug{off:d}"
        torch._dynamo.reset()
        settings = {"trace.enabled": True, "trace.debug_dir": str(place), "force_disable_caches": off}
        with torch.no_grad(), config.patch(settings):
            torch.compile(scaled)(torch.rand(1000), torch.rand(1000))
        names = sorted(file.name for file in place.rglob("*.py"))
        print("debug, caches", "off:" if off else "on: ", *names or ["no Python"])


# endregion


# region signs
def signs(_: Path) -> None:
    """Whether a loop keeps the sign of zero: by default, and where unsafe math is allowed."""
    for unsafe in False, True:
        torch._dynamo.reset()
        with torch.no_grad(), config.patch("cpp.enable_unsafe_math_opt_flag", unsafe):
            zero = torch.compile(lambda x, y: -(x - y))(torch.ones(1), torch.ones(1))
        print(f"unsafe math {unsafe!s:5} -(1 - 1):", zero.item())


# endregion

if __name__ == "__main__":
    with (
        tempfile.TemporaryDirectory() as temporary,
        # no vector instructions: what there are is found out with the compiler, anew in each folder
        config.patch({"cpp.threads": 1, "cpp.vec_isa_ok": False}),
    ):
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = temporary
        for part in table, contents, entry, debugged, signs:
            part(Path(temporary))
