"""For each element of some views of twelve numbers: where in the storage it lies."""

import torch

if __name__ == "__main__":
    x = torch.arange(12).reshape(3, 4)  # each number says where it lies
    for name, view in {
        "x": x,
        "x.T": x.T,
        "x[:, ::2]": x[:, ::2],
        "x.view(2, 6)": x.view(2, 6),
        "x[:, :1].expand(3, 4)": x[:, :1].expand(3, 4),
        "x[1].unfold(0, 2, 1)": x[1].unfold(0, 2, 1),
    }.items():
        print(f"{name}, strides {view.stride()}:")
        print("row", *(f"[:, {column}]" for column in range(view.shape[1])), sep="  ")
        for row, places in enumerate(view.tolist()):
            print(f"[{row}]", *places, sep="  ")
        print()
