"""The module's running example with one more input, and its package, which is made once and kept."""

import hashlib
import os
import tempfile
from pathlib import Path

import torch
from torch import Tensor
from torch._inductor.runtime.cache_dir_utils import cache_dir
from torch.export import Dim, ExportedProgram, export
from torch.export.pt2_archive._package import AOTICompiledModel


# region model
class Scores(torch.nn.Module):
    """A layer, a relu, and a shift for each score."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 2, device="cpu")
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0]]))
            self.layer.bias.copy_(torch.tensor([1.0, 2.0]))

    def forward(self, x: Tensor, shift: Tensor) -> Tensor:
        return torch.relu(self.layer(x)) + shift


def inputs() -> tuple[Tensor, Tensor]:
    """Two rows of three numbers, and two rows of two."""
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], device="cpu")
    return x, torch.tensor([[100.0, 200.0], [300.0, 400.0]], device="cpu")


def exported() -> ExportedProgram:
    """The program, in which the number of rows may change."""
    rows = {0: Dim.DYNAMIC}
    return export(Scores(), inputs(), dynamic_shapes=(rows, rows))


# endregion


# region package
#: Plain loops, the same for each processor: the compiler is not asked which vector instructions there are.
PLAIN = {"cpp.vec_isa_ok": False, "cpp.threads": 1}


def package(settings: dict[str, object] | None = None) -> str:
    """The path of its package, which takes a compiler seconds, and is kept where Inductor keeps libraries."""
    settings = PLAIN | (settings or {})
    text = f"{Path(__file__).read_text(encoding='utf-8')} {torch.__version__} {settings}"
    place = Path(cache_dir(), "scores", hashlib.sha256(text.encode()).hexdigest()[:16], "scores.pt2")
    if not place.is_file():
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent) as folder:
            made = torch._inductor.aoti_compile_and_package(
                exported(),
                package_path=str(Path(folder, place.name)),
                inductor_configs=settings,
            )
            os.replace(made, place)  # at once, for another process may look
    return str(place)


def loaded() -> AOTICompiledModel:
    """The package by the loader of C++, with what Python puts around it, and nothing more."""
    return AOTICompiledModel(torch._C._aoti.AOTIModelPackageLoader(package(), "model", False, 1, -1))


# endregion

if __name__ == "__main__":
    print("eager:  ", Scores()(*inputs()).tolist())
    print("package:", loaded()(*inputs()).tolist())
