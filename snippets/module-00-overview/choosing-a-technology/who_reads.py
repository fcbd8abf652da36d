"""One function, read by six technologies: which part of PyTorch gets to see it, and when."""

import warnings

import torch
import torch._lazy.ts_backend

warnings.simplefilter("ignore")
torch._lazy.ts_backend.init()


def add(x):
    """What is read."""
    return x + 1


class Add(torch.nn.Module):
    """The same as a module, which export asks for."""

    def forward(self, x):
        return add(x)


x = torch.ones(3, device="cpu")
compiled = torch.compile(add, backend="eager")


def by_script():
    return torch.jit.script(add)


def by_compile():
    return compiled(x)


def by_fx():
    return torch.fx.symbolic_trace(add)


def by_trace():
    return torch.jit.trace(add, (x,), check_trace=False)


def by_export():
    return torch.export.export(Add(), (x,))


def by_lazy():
    return add(x.to("lazy"))


def path():
    """The calls that are recorded."""
    return [by() for by in (by_script, by_compile, by_fx, by_trace, by_export, by_lazy)]


if __name__ == "__main__":
    path()
    print("read six times")
