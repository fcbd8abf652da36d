"""Mixed precision, random numbers and the accelerator's API on the chip."""

import sys
from pathlib import Path

import torch

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
state = torch.abacus.get_rng_state("abacus:0")
again = torch.rand(3, device="abacus", generator=torch.Generator("abacus").manual_seed(7))
print(drawn.tolist() == again.tolist(), state.dtype, abacus.fallbacks().get("aten::uniform_"))
try:
    torch.randn(3, device="abacus", generator=torch.Generator("abacus"))
except RuntimeError as error:
    print(error)
torch.manual_seed(7)
normal = torch.randn(3, device="abacus")  # by the fallback, and so by the generator of the CPU
torch.manual_seed(7)
print(normal.tolist() == torch.randn(3, device="cpu").tolist())
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
# endregion
