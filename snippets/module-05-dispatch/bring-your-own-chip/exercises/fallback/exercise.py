"""The fallback to the host, for any operator: what PyTorch's `cpu_fallback` does, by the schema."""

from torch import Tensor
from torch._ops import OpOverload


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
    """Run an operator for tensors of the chip on the host, and give back what the chip would.

    Arguments are numbers, `Chip` tensors, and lists of these; keyword arguments stand in the schema,
    `operator._schema`, too. An argument that it marks as written to (`alias_info.is_write`) must hold the new
    numbers afterwards, and other arguments may not be stored to. A result that is such an argument must be
    that very `Chip`. A result that it marks as a view (`alias_info`, but no write) is refused with a
    RuntimeError. Other tensors among the results, also in tuples and lists, come back as new `Chip` tensors.
    What is no tensor comes back as it is.
    """
    raise NotImplementedError
