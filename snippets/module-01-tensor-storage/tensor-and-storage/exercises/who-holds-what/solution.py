"""How much memory a collection of tensors keeps, and the same tensors with less behind them."""

from collections import Counter
from collections.abc import Iterable, Mapping

from torch import Tensor


def held_bytes(tensors: Iterable[Tensor]) -> int:
    """The bytes that the storages of these strided tensors take, each storage counted once."""
    storages = {tensor.untyped_storage()._cdata: tensor.untyped_storage() for tensor in tensors}
    return sum(storage.nbytes() for storage in storages.values() if storage.device.type != "meta")


def slim(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same names with tensors of the same numbers, and less hidden behind them."""
    users = Counter(tensor.untyped_storage()._cdata for tensor in state.values())

    def kept(tensor: Tensor) -> bool:
        storage = tensor.untyped_storage()
        return users[storage._cdata] > 1 or tensor.nbytes >= storage.nbytes()

    return {name: tensor if kept(tensor) else tensor.clone() for name, tensor in state.items()}
