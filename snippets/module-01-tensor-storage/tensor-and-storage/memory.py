"""Who describes which bytes: the tensors of the module's example, and two more, over their storages."""

from itertools import product

import torch

x = torch.arange(12.0, device="cpu").reshape(3, 4)
y = x[:, 1]
tail = x[1:]
own = y.clone()


# region shown
def shown(tensor: torch.Tensor) -> list[tuple[int, int]]:
    """The bytes of its storage that a tensor shows, as stretches from, to."""
    size = tensor.element_size()
    places = product(*(range(n) for n in tensor.shape))
    starts = sorted(
        (tensor.storage_offset() + sum(i * s for i, s in zip(place, tensor.stride(), strict=True))) * size
        for place in places
    )
    stretches: list[tuple[int, int]] = []
    for start in starts:
        if stretches and stretches[-1][1] == start:
            stretches[-1] = (stretches[-1][0], start + size)
        else:
            stretches.append((start, start + size))
    return stretches


# endregion

if __name__ == "__main__":
    print("lane  from  to  name")
    storages = []
    for name, tensor in {"x": x, "y = x[:, 1]": y, "x[1:]": tail, "y.clone()": own}.items():
        storage = tensor.untyped_storage()
        if all(storage is not other for other in storages):
            storages.append(storage)
            print(f"storage {len(storages)}  0  {storage.nbytes()}  {storage.nbytes()} bytes")
        for start, end in shown(tensor):
            print(f"{name}  {start}  {end}  -")
