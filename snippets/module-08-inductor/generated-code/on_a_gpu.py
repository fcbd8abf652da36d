"""What Inductor writes for a GPU, and what Triton makes of it."""

import os
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

import torch
from torch._inductor import config
from torch._inductor.utils import run_and_get_code

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx/the-graph-ir"))
sys.path.insert(0, str(Path(__file__).parent))
from running_example import centred
from written import written


# region triton
def kernel(source: str) -> str:
    """The function that Triton compiles, without the masks' and indices' first lines."""
    function = re.search(r"def triton_.*?(?=\n''')", source, re.DOTALL)[0]
    return "\n".join(line for line in function.splitlines() if re.search(r"def |tmp|XBLOCK|= \d+", line))


def instructions(ptx: str) -> Counter:
    """How often each instruction stands there, by its first two words."""
    found = re.findall(r"(?m)^\s+(?:@%p\d+ )?([a-z]\w*)((?:\.\w+|::\w+)*)", ptx)
    return Counter(".".join([name, *rest.split(".")[1:2]]) for name, rest in found)


# endregion


class Scaled(torch.nn.Module):
    """With a parameter that is a view, and begins there in its storage."""

    def __init__(self, begin: int) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(100, device="cuda")[begin : begin + 64])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A product."""
        return x * self.scale


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = temporary
        x, weight = torch.ones(1000, 64, device="cuda"), torch.ones(64, 70, device="cuda")
        # nothing is chosen by the clock, which the dry GPU has not
        with torch.no_grad(), config.patch(deterministic=True):
            _, (source,) = run_and_get_code(torch.compile(centred), x, weight)
        print(kernel(source))
        print(*re.findall(r"(?m)^ +(\S+\.run\(.*|buf\d = .*|extern_kernels.*)", source), sep="\n")
        files = {file.suffix: file for file in Path(temporary).glob("triton/*/*/triton_*")}
        print("files:", *sorted(files))
        (entry,) = (file for file in Path(temporary, "fxgraph").rglob("*") if file.is_file())
        print("the cubin is in the kept graph:", files[".cubin"].read_bytes() in entry.read_bytes())
        ptx = files[".ptx"].read_text()
        counted = instructions(ptx)
        print(*re.findall(r"(?m)^\.(?:target|reqntid) .*", ptx), sep="\n")
        for name in "ld.global", "ex2.approx", "st.global", "shfl.sync", "bar.sync":
            print(f"{name:12}{counted[name]}")
        print("numbers in a load:", *set(re.findall(r"ld\.global\S*\.(v\d)\.b32", ptx)))
        many = torch.ones(100, device="cuda")
        (plain, of_argument, of_parameter) = (
            written(Scaled(begin), many[start : start + 64]).key for begin, start in ((0, 0), (0, 4), (4, 0))
        )
        print("an argument's offset is in the key:", plain != of_argument)
        print("a parameter's:", plain != of_parameter)
        with torch.no_grad():  # and with no setting: asked for the time, the dry GPU raises
            torch.compile(lambda x: x.softmax(1))(torch.ones(4096, 512, device="cuda"))
        print("a softmax asked for no time")
