"""What a forward of eight linear layers asks of a GPU's memory, with autocast and without, in MiB."""

from contextlib import AbstractContextManager, ExitStack

import torch
from torch import nn

WIDTH, MIB = 1024, 1 << 20


def requested(which: str = "current") -> float:
    """The bytes that tensors have asked for; what the allocator rounds up or keeps is not in it."""
    return torch.cuda.memory_stats()[f"requested_bytes.all.{which}"] / MIB


# region forward
def forward(batch: int, *modes: AbstractContextManager, frozen: bool = False) -> tuple[float, ...]:
    """At most, at the end of the region, and after it."""
    layers = [nn.Linear(WIDTH, WIDTH, bias=False, device="cuda") for _ in range(8)]
    net = nn.Sequential(*layers).requires_grad_(not frozen)
    x = torch.zeros(batch, WIDTH, device="cuda")
    for dtype in torch.float32, torch.float16:  # what cuBLAS wants for itself, it gets before we begin
        square = torch.zeros(WIDTH, WIDTH, dtype=dtype, device="cuda")
        _ = square @ square
    del square, _
    torch.cuda.reset_peak_memory_stats()
    begin = requested()
    with ExitStack() as region:
        for mode in modes:
            region.enter_context(mode)
        y = net(x)
        inside = requested()
    after = requested()
    del y
    return requested("peak") - begin, inside - begin, after - begin


# endregion


def main() -> None:
    def half(**options: bool) -> torch.autocast:
        return torch.autocast("cuda", torch.float16, **options)

    print(f"{'':34}{'at most':>9}{'inside':>9}{'after':>9}")
    for batch in 64, 4096:
        ways = {
            "float32": ((), False),
            "autocast": ((half(),), False),
            "autocast, no cache": ((half(cache_enabled=False),), False),
            "autocast, frozen": ((half(),), True),
            "no_grad, float32": ((torch.no_grad(),), False),
            "no_grad, autocast": ((torch.no_grad(), half()), False),
            "no_grad, autocast, no cache": ((torch.no_grad(), half(cache_enabled=False)), False),
            "inference_mode, autocast": ((torch.inference_mode(), half()), False),
        }
        print(f"a batch of {batch}:")
        for name, (modes, frozen) in ways.items():
            print(f"  {name:32}", *(f"{size:8.1f}" for size in forward(batch, *modes, frozen=frozen)))


if __name__ == "__main__":
    main()
