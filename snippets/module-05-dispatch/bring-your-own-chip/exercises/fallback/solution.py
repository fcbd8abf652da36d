"""The fallback to the host, for any operator: what PyTorch's `cpu_fallback` does, by the schema."""

from torch import Tensor
from torch._ops import OpOverload
from torch.utils._pytree import tree_flatten, tree_map_only


class Chip:
    """A tensor of a chip: its numbers can be fetched and stored as a whole, and in no other way."""

    def __init__(self, host: Tensor) -> None:
        self.memory = host.detach().clone()

    def fetch(self) -> Tensor:
        """A copy on the host."""
        return self.memory.clone()

    def store(self, host: Tensor) -> None:
        """Copy from the host; the size may change."""
        self.memory = host.detach().clone()


def fallback(operator: OpOverload, *args, **kwargs):
    """Fetch, run, store what was written to, and wrap what is new."""
    schema = operator._schema
    given = dict(zip((argument.name for argument in schema.arguments), args, strict=False)) | kwargs
    written = {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write}

    chips = [one for one in tree_flatten(given)[0] if isinstance(one, Chip)]
    fetched = {id(chip): chip.fetch() for chip in chips}
    on_host = tree_map_only(Chip, lambda chip: fetched[id(chip)], given)
    positional = [on_host[a.name] for a in schema.arguments[: len(args)]]
    result = operator(*positional, **{name: on_host[name] for name in kwargs})

    by_host = {}
    for name in written & given.keys():
        for chip in tree_flatten(given[name])[0]:
            if isinstance(chip, Chip):
                chip.store(fetched[id(chip)])
                by_host[id(fetched[id(chip)])] = chip
    if any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns):
        raise RuntimeError(f"{operator} makes a view")
    return tree_map_only(
        Tensor, lambda host: by_host[id(host)] if id(host) in by_host else Chip(host), result
    )
