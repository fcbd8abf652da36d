"""Hands back the last argument that is written to for each result that is one."""

from solution import Chip
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_flatten, tree_map_only


def fallback(operator: OpOverload, *args, **kwargs):
    schema = operator._schema
    given = dict(zip((argument.name for argument in schema.arguments), args, strict=False)) | kwargs
    written = {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write}

    chips = [one for one in tree_flatten(given)[0] if isinstance(one, Chip)]
    fetched = {id(chip): chip.fetch() for chip in chips}
    on_host = tree_map_only(Chip, lambda chip: fetched[id(chip)], given)
    positional = [on_host[a.name] for a in schema.arguments[: len(args)]]
    result = operator(*positional, **{name: on_host[name] for name in kwargs})

    target = None
    for name in [name for name in given if name in written]:
        for chip in tree_flatten(given[name])[0]:
            if isinstance(chip, Chip):
                chip.store(fetched[id(chip)])
                target = chip
    if any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns):
        raise RuntimeError(f"{operator} makes a view")
    hosts = {id(host) for host in fetched.values()}
    return tree_map_only(Tensor, lambda host: target if target and id(host) in hosts else Chip(host), result)
