"""`torch.compile` on the chip: backends that run its kernels, a place for its own compiler, Inductor."""

import sys
import time
from pathlib import Path

import torch
from torch._dynamo import register_backend
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._inductor.codegen.common import register_device_op_overrides
from torch._inductor.codegen.cpu_device_op_overrides import CpuDeviceOpOverrides

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus


# region backend
def compile_for_the_chip(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    """Where the compiler of a chip's maker begins: one graph of operators, forward or backward."""
    operators = [str(node.target) for node in graph.graph.nodes if node.op == "call_function"]
    print("    a graph for", inputs[0].device, operators)
    return make_boxed_func(graph.forward)  # instead of machine code: the graph as it stands


@register_backend(name="abacus")
def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]):
    return aot_autograd(fw_compiler=compile_for_the_chip)(graph, inputs)


# endregion


# region run
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + x).relu() * x


x = torch.linspace(-1, 1, 8, device="cpu").to("abacus").requires_grad_()
right = torch.where(x > 0, 4 * x, 0).tolist()

for name in "eager", "aot_eager", "abacus", "inductor", "inductor":
    print(name)
    torch._dynamo.reset()
    abacus.fallbacks()
    x.grad = None
    try:
        torch.compile(f, backend=name, fullgraph=True)(x).sum().backward()
        print(
            "    gradient right:", x.grad.tolist() == right, "| fallbacks:", sum(abacus.fallbacks().values())
        )
    except Exception as error:
        print("   ", type(error).__name__, str(error).partition("\n")[0])
        register_device_op_overrides("abacus", CpuDeviceOpOverrides())  # for the second try
# endregion


# region own
@torch.library.custom_op("vendor::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x + x


twice.register_fake(torch.empty_like)


@torch.library.custom_op("vendor::twice_", mutates_args=("x",))
def twice_(x: torch.Tensor) -> None:
    x += x


twice_.register_fake(lambda x: None)
vendor = torch.library.Library("vendor", "FRAGMENT")
vendor.define("composite(Tensor x) -> Tensor")
vendor.impl("composite", lambda x: x + x, "CompositeImplicitAutograd")
vendor.define("explicit(Tensor x) -> Tensor")
vendor.impl("explicit", lambda x: x + x, "CompositeExplicitAutograd")
ours = torch.ops.vendor
for name, own in {
    "twice": twice,
    "twice_": twice_,
    "composite": ours.composite,
    "explicit": ours.explicit,
}.items():
    print("abacus, an operator of our own:", name)
    torch._dynamo.reset()
    torch.compile(lambda x, own=own: (y := x.relu(), own(y)), backend="abacus", fullgraph=True)(x.detach())
# endregion
time.sleep(0.5)  # the engine's thread for the chip lets go of its last task with the GIL, which must be there
