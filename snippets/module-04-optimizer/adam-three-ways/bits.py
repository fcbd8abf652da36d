"""Where the three ways of Adam give other bits on the CPU, and what takes the difference away.

The instructions that a kernel may use are chosen once in a process. So each block of the output is that of
a process of its own.
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
def in_one(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    """A product and a sum of floats, rounded after the sum: the product is exact in double precision."""
    return (a.double() * b.double() + c.double()).float()


def tails(size: int) -> None:
    """How many of the fused kernel's squares are not those of three formulas."""
    beta2, part = torch.tensor(0.999), torch.tensor(1 - 0.999)
    formulas = {
        "both products rounded": lambda square, grad: square * beta2 + part * grad * grad,
        "that by beta2 not": lambda square, grad: in_one(square, beta2, part * grad * grad),
        "that by the gradient not": lambda square, grad: in_one(part * grad, grad, square * beta2),
    }
    wrong = dict.fromkeys(formulas, 0)
    for _ in range(200):
        weight = nn.Parameter(torch.zeros(size))
        optimizer = torch.optim.Adam([weight], **FUSED)
        squares = dict.fromkeys(formulas, torch.zeros(size))
        for _ in range(3):
            grad = weight.grad = torch.randn(size)
            optimizer.step()
            squares = {name: formula(squares[name], grad) for name, formula in formulas.items()}
        for name, square in squares.items():
            wrong[name] += int((optimizer.state[weight]["exp_avg_sq"] != square).sum())
    print(f"  {200 * size} elements in lists of {size}, exp_avg_sq of fused differs from that with")
    for name, count in wrong.items():
        print(f"    {name:25}{count:4}")


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
        for size in 7, 8:
            tails(size)
    else:
        main()
