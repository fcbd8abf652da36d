"""What a chip with a fallback still stumbles over, and what the fallback hides."""

import os
import sys
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parents[1] / "a-chip-in-cpp/abacus"))
os.environ["ABACUS_WITHOUT"] = "unfold"
import abacus

warnings.simplefilter("ignore")
own = torch.library.Library("own", "DEF")
own.define("twice(Tensor x) -> Tensor")
own.impl("twice", lambda x: x * 2, "CPU")
own.define("after_a_list(Tensor[] xs, Tensor y) -> Tensor")
own.impl("after_a_list", lambda xs, y: xs[0] + y, "CPU")
own.define("nowhere(Tensor x) -> Tensor")
norm = torch.nn.BatchNorm1d(2).to("abacus")
x, host = torch.ones(2, 2, device="abacus:0"), torch.ones(2, 2, device="cpu")

traps = {
    "add, other device": lambda: (x + x.to("abacus:1")).device,
    "mul, other device": lambda: (x * x.to("abacus:1")).device,
    "mm, other device": lambda: x.mm(x.to("abacus:1")).device,
    "mm, with the host": lambda: x.mm(host).device,
    "mm, the host first": lambda: host.mm(x).device,
    "dot, the host first": lambda: host[0].dot(x[0]).device,
    "the host after a list": lambda: torch.ops.own.after_a_list([x], host).device,
    "convolution": lambda: F.conv2d(x[None, None], x[None, None]),
    "convolution, the host's input": lambda: F.conv2d(host[None, None], x[None, None]).device,
    "one's own operator": lambda: torch.ops.own.twice(x.clone().requires_grad_()).grad_fn.name(),
    "one that nobody wrote": lambda: torch.ops.own.nowhere(x),
    "batch norm, the running mean": lambda: (norm(x), norm.running_mean.tolist())[1],
    "a view, no kernel": lambda: x.unfold(0, 1, 1),
    "the same, and wrong": lambda: x.unfold(0, 5, 1),
    "pinned memory": lambda: torch.ones(2, device="cpu").pin_memory("abacus"),
    "a stream of one's own": lambda: torch.Stream("abacus"),
    "out of memory": lambda: torch.empty(1 << 30, device="abacus"),
    "no such device": lambda: torch.empty(1, device="abacus:7"),
}
for name, trap in traps.items():
    try:
        print(f"{name}: {trap()}")
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error).partition('. ')[0]}")

abacus.fallbacks()
repr(x)
print("to print four numbers:", sum(abacus.fallbacks().values()), "fallbacks")
