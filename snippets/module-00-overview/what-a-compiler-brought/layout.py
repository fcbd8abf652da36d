"""Which layout the results of convolutions have in the code that Inductor generates for the CPU."""

import re
import sys
from pathlib import Path

import torch
from torch._inductor.utils import get_code

sys.path.insert(0, str(Path(__file__).parent))
from speeds import channels_last, cnn

NO_LAYOUT = {"layout_optimization": False}
UNCOMPILED = {"fx_graph_cache": False, "cpp.vec_isa_ok": True}  # code is written, not compiled or kept
SHAPE = r"(\(.*?\)), (\(.*?\)),"


def model():
    """Two convolutions of contiguous images."""
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3)).eval()


def show(name, network, x, options=None, grad=False):
    """Prints the layout of what each convolution returns, and of what is returned if it is made anew."""
    options = (options or {}) | UNCOMPILED
    with torch.set_grad_enabled(grad):
        code, *_ = get_code(torch.compile(network, options=options), x)
    made = re.findall(rf"assert_size_stride\(buf\d+, {SHAPE}", code)
    print(name, *(f"{size} laid out as {stride}" for size, stride in made), sep="\n    ")
    (returned,) = re.findall(r"return \((\w+),", code)
    made_anew = rf"{returned} = (?:empty_strided_cpu|reinterpret_tensor)\((?:buf\d+, )?{SHAPE}"
    for size, stride in re.findall(made_anew, code):
        print(f"    returned: {size} laid out as {stride}")


if __name__ == "__main__":
    x, network = torch.rand(2, 3, 10, 10), model()
    print("eager:", network[0](x).stride(), network(x).stride())
    show("by default", network, x)
    show("without the option", network, x, NO_LAYOUT)
    show("sequences, by default", torch.nn.Conv1d(3, 8, 3).eval(), torch.rand(2, 3, 10))
    network, x = cnn()
    show("the CNN's first convolution, with gradients", network[0], x, grad=True)
    network = network.eval()[:5]  # to the second convolution
    show("the CNN's convolutions", network, x)
    show("the CNN's convolutions, without the option", network, x, NO_LAYOUT)
    show("the CNN's convolutions, channels last", channels_last(network), x)
