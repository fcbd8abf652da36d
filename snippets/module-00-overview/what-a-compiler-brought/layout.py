"""Which layout the results of convolutions have in the code that Inductor generates for the CPU."""

import re
import sys
from pathlib import Path

import torch
from torch._inductor.utils import run_and_get_code

sys.path.insert(0, str(Path(__file__).parent))
from speeds import channels_last, cnn


def model():
    """Two convolutions of contiguous images."""
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3)).eval()


def show(name, network, x, options, grad=False):
    """Prints the layout of what each convolution returns, and that of what is returned."""
    torch._dynamo.reset()
    with torch.set_grad_enabled(grad):
        y, (code,) = run_and_get_code(torch.compile(network, options=options), x)
    made = re.findall(r"assert_size_stride\(buf\d+, (\(.*?\)), (\(.*?\)),", code)
    print(name, *(f"{size} laid out as {stride}" for size, stride in made), sep="\n    ")
    print("    returned with", y.stride())


if __name__ == "__main__":
    x, network = torch.rand(2, 3, 10, 10), model()
    print("eager:", network[0](x).stride(), network(x).stride())
    show("by default", network, x, {})
    show("without the option", network, x, {"layout_optimization": False})
    show("sequences, by default", torch.nn.Conv1d(3, 8, 3).eval(), torch.rand(2, 3, 10), {})
    (first, *_), images = cnn()
    show("the CNN's first convolution", first, images, {})
    show("the CNN's first convolution, with gradients", first, images, {}, grad=True)
    show("the CNN's first convolution, channels last", channels_last(first), images, {})
