"""What `mm` could do with two operands that are both split by rows, and what each way would cost."""

from functools import partial
from unittest.mock import patch

import torch
from counting import issued, placed, short
from inside_torch.run.ranks import on_ranks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Shard, _sharding_prop

# region listen
choose = _sharding_prop._select_min_cost_strategy


def tell(strategy, schema):
    chosen = choose(strategy, schema)
    for each in strategy.strategies:
        wanted = " @ ".join(f"{short(spec.placements):6}" for spec in each.input_specs)
        costs = " + ".join(f"{cost:5.2f}" for (cost,) in each.redistribute_cost)
        print(f"  {wanted} -> {short(each.output_spec.placements):6}  {costs}{'  *' * (each is chosen)}")
    return chosen


def listen(rank: int) -> None:
    mesh = init_device_mesh("cpu", (2,))
    x = placed(torch.ones(8, 64), mesh, Shard(0))
    for columns in 64, 165, 166:
        w = placed(torch.ones(64, columns), mesh, Shard(0))
        if rank == 0:
            print(columns, "columns")
        with patch.object(_sharding_prop, "_select_min_cost_strategy", tell if rank == 0 else choose):
            y, sent = issued(partial(torch.matmul, x, w))
        if rank == 0:
            print(f"  {sent}, and y is {short(y.placements)}")


# endregion

if __name__ == "__main__":
    on_ranks(listen)
