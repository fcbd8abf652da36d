"""Where the three ways of Adam give other bits on the CPU, and what takes the difference away.

The instructions that a kernel may use, and those of MKL, are chosen when torch is loaded. So each block
of the output is that of a process of its own.
"""

import os
import subprocess
import sys

import torch
from torch import Tensor, nn

LOOP, FOREACH, FUSED = {"foreach": False}, {"foreach": True}, {"fused": True}

# region exact
mkl_root = torch.Tensor.sqrt


def exact_root(tensor: Tensor) -> Tensor:
    """The float nearest to the root: a root in double precision, rounded once more, is that."""
    return mkl_root(tensor.double()).float()


# endregion


# region compare
def after_three_steps(way: dict, size: int) -> tuple[Tensor, Tensor, Tensor]:
    """The parameter and the two averages after three steps with the same random gradients."""
    torch.manual_seed(0)
    weight = nn.Parameter(torch.zeros(size))
    optimizer = torch.optim.Adam([weight], **way)
    for _ in range(3):
        weight.grad = torch.randn(size)
        optimizer.step()
    state = optimizer.state[weight]
    return weight.detach(), state["exp_avg"], state["exp_avg_sq"]


def differ(one: tuple, other: tuple) -> list[int]:
    return [int((a != b).sum()) for a, b in zip(one, other, strict=True)]


def compare(size: int) -> None:
    loop, foreach, fused = (after_three_steps(way, size) for way in (LOOP, FOREACH, FUSED))
    torch.Tensor.sqrt = exact_root
    rooted = after_three_steps(LOOP, size)
    torch.Tensor.sqrt = mkl_root
    tail = [place for place in range(size) if rooted[2][place] != fused[2][place]]
    print(f"  {size:4} elements, of parameter, exp_avg and exp_avg_sq differ:")
    print("    loop from foreach          ", differ(loop, foreach))
    # how many roots MKL rounds otherwise hangs on the processor
    print("    loop from fused            ", ["some" if count else "none" for count in differ(loop, fused)])
    places = [f"from place {place}" for place in tail[:1]]
    print("    loop, exact root, from fused", differ(rooted, fused), *places)


# endregion


# region tail
def tails() -> None:
    """Seven elements fill no vector: the fused kernel's squares, and those of two formulas."""
    two_roundings = one_rounding = 0
    beta2, part = torch.tensor(0.999), torch.tensor(1 - 0.999)
    for _ in range(200):
        weight = nn.Parameter(torch.zeros(7))
        optimizer = torch.optim.Adam([weight], **FUSED)
        separate, together = torch.zeros(7), torch.zeros(7)
        for _ in range(3):
            grad = weight.grad = torch.randn(7)
            optimizer.step()
            new = (part * grad) * grad
            separate = separate * beta2 + new
            together = (together.double() * beta2.double() + new.double()).float()
        square = optimizer.state[weight]["exp_avg_sq"]
        two_roundings += int((square != separate).sum())
        one_rounding += int((square != together).sum())
    print("  1400 elements in lists of 7, exp_avg_sq of fused differs:")
    print("    from product and sum rounded apart   ", two_roundings)
    print("    from product and sum rounded together", one_rounding)


# endregion


def main() -> None:
    for instructions in "default", "avx2":
        print(f"ATEN_CPU_CAPABILITY={instructions} MKL_CBWR=COMPATIBLE", flush=True)
        chosen = {"ATEN_CPU_CAPABILITY": instructions, "MKL_CBWR": "COMPATIBLE"}
        subprocess.run([sys.executable, __file__, "compare"], env=os.environ | chosen, check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["compare"]:
        torch.set_num_threads(1)
        for size in 1024, 1031:
            compare(size)
        tails()
    else:
        main()
