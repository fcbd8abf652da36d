"""Mixed precision, random numbers and the accelerator's API on the chip."""

import sys
import time
from pathlib import Path

import torch
from torch.distributed.fsdp._common_utils import _FSDPDeviceHandle
from torch.utils.checkpoint import checkpoint

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus

# region autocast
x = torch.full((2, 2), 0.5, device="abacus")
with torch.amp.autocast("abacus", dtype=torch.bfloat16):
    print("mm", x.mm(x).dtype, "| add", (x + x).dtype, "| linear", torch.nn.functional.linear(x, x).dtype)
print("outside", x.mm(x).dtype, abacus.get_amp_supported_dtype())
# endregion

# region random
torch.manual_seed(7)  # seeds every device: it calls abacus.manual_seed_all
drawn = torch.rand(3, device="abacus")
again = torch.rand(3, device="abacus", generator=torch.Generator("abacus").manual_seed(7))
print(
    "seeded alike:",
    drawn.tolist() == again.tolist(),
    "| fallbacks:",
    abacus.fallbacks().get("aten::uniform_"),
)
try:
    torch.randn(3, device="abacus", generator=torch.Generator("abacus"))
except RuntimeError as error:
    print(error)
torch.manual_seed(7)
abacus.fallbacks()
normal = torch.randn(3, device="abacus")  # by the fallback, and so by the generator of the CPU
by = abacus.fallbacks()
torch.manual_seed(7)
print("randn is the CPU's:", normal.tolist() == torch.randn(3, device="cpu").tolist(), by)

noises = []


def times_noise(w: torch.Tensor, draw) -> torch.Tensor:
    noises.append(draw(w))
    return w * noises[-1]


for abacus._initialized, draw in (
    (True, torch.rand_like),
    (False, torch.rand_like),
    (False, torch.randn_like),  # by the CPU's generator, whose state is kept
):
    noises.clear()
    w = torch.ones(3, device="abacus", requires_grad=True)
    checkpoint(times_noise, w, draw, use_reentrant=False).sum().backward()  # of w * r, and so r
    first, again = (w.grad.tolist() == noise.tolist() for noise in noises)
    print(
        f"_initialized {abacus._initialized}, {draw.__name__}",
        "| gradient of the first pass:",
        first,
        "| of the second:",
        again,
    )
# endregion

# region accelerator
torch.accelerator.set_device_index(1)
print(
    torch.accelerator.current_accelerator(),
    torch.empty(1, device="abacus").device,
    torch.abacus.current_device(),
)
with torch.abacus.device(0):
    print(torch.empty(1, device="abacus").device, torch.accelerator.current_stream())
try:
    torch.Event("abacus").record()
except RuntimeError as error:
    print(error)
try:
    print(_FSDPDeviceHandle.from_device(torch.device("abacus")).Stream)  # FSDP asks the module, not the guard
except AttributeError as error:
    print(error)
# endregion

# region scaler
layer = torch.nn.Linear(2, 1).to("abacus:0")
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("abacus", init_scale=1024.0)
for factor in 1.0, float("inf"):
    before = layer.weight.tolist()
    with torch.amp.autocast("abacus", dtype=torch.float16):
        loss = (layer(x) * factor).sum()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print("scale", scaler.get_scale(), "| a step:", layer.weight.tolist() != before)
# endregion
time.sleep(0.5)  # the engine's thread for the chip lets go of its last task with the GIL, which must be there
