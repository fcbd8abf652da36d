"""When a compiled graph is found again, and when it has gone."""

import math

import torch
from watch import compiled, counted

# region same
x, generator = torch.ones(2, 3, 4).to("lazy"), torch.Generator()
alike = {
    "another number": lambda k: x * (k + 0.5),
    "a whole number": lambda k: x * (k + 2),
    "plus 3, 2, 1": lambda k: x + (3 - k),
    "plus 2 times 3, 2, 1": lambda k: torch.add(x, 3 - k, alpha=2),
    "another shape": lambda k: torch.ones(k + 1).to("lazy") * 2,
    "another dimension": lambda k: x.softmax(k),
    "another bound of a slice": lambda k: x[:, k : k + 1] * 2,
    "another epsilon": lambda k: torch.nn.functional.layer_norm(x, (4,), eps=k + 0.5),
    "another, of rms_norm": lambda k: torch.nn.functional.rms_norm(x, (4,), eps=k + 0.5),
    "another bound of noise": lambda k: torch.empty(3, device="lazy").uniform_(0, k + 0.5),
    "another generator": lambda k: torch.rand(3, device="lazy", generator=torch.Generator().manual_seed(k)),
    "the same generator": lambda k: torch.rand(3, device="lazy", generator=generator),
    "new noise": lambda k: torch.rand(3, device="lazy"),
    "a size in the arithmetic": lambda k: x / math.sqrt(x.shape[k]),
}
# endregion
# region inputs
a, b = torch.ones(2).to("lazy"), torch.ones(2).to("lazy")
pairs = {"a + b": (a, b), "b + a": (b, a), "a + a": (a, a)}
# endregion


def of_size(size: int) -> None:
    """A graph of its own for each size."""
    (torch.ones(size).to("lazy") - 2).tolist()


if __name__ == "__main__":
    for name, function in alike.items():
        counted()
        for k in range(3):
            function(k).tolist()
        print(f"{name:28}{compiled()}")
    for name, (left, right) in pairs.items():
        (left + right).tolist()
        print(f"{name:28}{compiled()}")
    # region generators
    first, second, eager = (torch.Generator().manual_seed(7) for _ in range(3))
    state = second.get_state()
    numbers = [torch.rand(3, device="lazy", generator=one).tolist() for one in (first, second)]
    draws_of_one = numbers == [torch.rand(3, generator=eager).tolist() for _ in range(2)]
    print(f"{'two of the same state':28}{compiled()}; as two draws of one: {draws_of_one},", end=" ")
    print("the second has moved:", not torch.equal(second.get_state(), state))
    # endregion
    # region full
    for size in range(1, 1025):
        of_size(size)
    print(f"{'sizes from 1 to 1024':28}{compiled()}")
    for size in 1, 1025, 2, 1:
        of_size(size)
        print(f"{'size ' + str(size):28}{compiled()}")
    # endregion
