"""One call of backward on the running example: the call whose path the article records."""

import torch

# region build
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)
loss = (a * b + a).sum()
# endregion


# region path
def path() -> None:
    """Run the graph below `loss`, once."""
    loss.backward()


# endregion

if __name__ == "__main__":
    path()
    print("loss  ", loss.item())
    print("a.grad", a.grad.tolist())
    print("b.grad", b.grad.tolist())
