"""Takes two tensors to share a storage when they begin at the same address."""

import solution

slim = solution.slim


def held_bytes(tensors):
    storages = {tensor.data_ptr(): tensor.untyped_storage() for tensor in tensors if not tensor.is_meta}
    return sum(storage.nbytes() for storage in storages.values())
