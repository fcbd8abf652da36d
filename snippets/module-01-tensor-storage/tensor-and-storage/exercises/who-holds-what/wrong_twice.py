"""Goes through the tensors twice, and the second time an iterator has none left."""

import solution

slim = solution.slim


def held_bytes(tensors):
    own = {tensor.untyped_storage()._cdata for tensor in tensors if not tensor.is_meta}
    found = {tensor.untyped_storage()._cdata: tensor.untyped_storage().nbytes() for tensor in tensors}
    return sum(found.get(storage, 0) for storage in own)
