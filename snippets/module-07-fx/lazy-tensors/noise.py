"""Random numbers that are drawn when somebody looks, and drawn again for a sum that is looked at."""

import torch
import torch._lazy
from torch import Tensor
from torch._lazy import ts_backend

ts_backend.init()


def seen(tensor: Tensor) -> list[float]:
    """The values, in four digits."""
    return [round(number, 4) for number in tensor.tolist()]


# region noise
def drawn(end_of_step: bool) -> None:
    """Noise on the device `lazy`, looked at by itself and as part of a sum."""
    torch.manual_seed(0)
    noise = torch.rand(2, device="lazy")
    if end_of_step:
        torch._lazy.mark_step()
    print("    noise     ", seen(noise))
    print("    noise + 0 ", seen(noise + 0))
    print("    noise     ", seen(noise))


# endregion


# region order
def asked_backwards(device: str) -> None:
    """Two random tensors, of which the second is looked at first."""
    torch.manual_seed(0)
    first = torch.rand(2, device=device)
    second = torch.rand(2, device=device)
    print("    second", seen(second), "first", seen(first))


# endregion

if __name__ == "__main__":
    print("as it is")
    drawn(end_of_step=False)
    print("with a step that ends before the first look")
    drawn(end_of_step=True)
    for device in "cpu", "lazy":
        print("the second first, on", device)
        asked_backwards(device)
