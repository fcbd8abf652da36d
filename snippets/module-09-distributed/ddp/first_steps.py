"""Which gradients go together in the first three steps, by the options of DDP."""

import torch
from inside_torch.run.ranks import on_ranks
from watch import LAYER, Layers, told, watched

OPTIONS = {
    "the default caps": {},
    "a cap of one layer": {"bucket_cap_mb": LAYER},
    "find_unused_parameters": {"bucket_cap_mb": LAYER, "find_unused_parameters": True},
    "static_graph": {"bucket_cap_mb": LAYER, "static_graph": True},
    "a list of caps": {"bucket_cap_mb_list": [LAYER, 2 * LAYER]},
}


# region steps
def steps(rank: int) -> None:
    for name, options in OPTIONS.items():
        ddp, notes = watched(Layers(), **options)
        lines = []
        for _ in range(3):
            ddp(torch.ones(1, 8)).sum().backward()
            lines.append(told(notes))
        if rank == 0:
            print(f"{name}:", *lines, sep="\n  ")


# endregion


if __name__ == "__main__":
    on_ranks(steps)
