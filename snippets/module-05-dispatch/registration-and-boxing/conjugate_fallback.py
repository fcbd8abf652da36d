"""One operator that knows no conjugate views: its call is boxed for a fallback, unboxed for the kernel."""

import torch

z = torch.tensor([1 + 2j, 3 - 1j])
lazy = z.conj()  # no new data: a view with the conjugate bit


def path():
    return torch.exp(lazy)


if __name__ == "__main__":
    print(lazy.is_conj(), torch.equal(path(), torch.exp(z.conj().resolve_conj())))
