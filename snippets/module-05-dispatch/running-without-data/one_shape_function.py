"""One structured operator on the CPU and on meta: `path()` shows who answers for the shape on each."""

import torch


def operands(device):
    gradient = torch.ones(2, 3, device=device)
    return gradient, torch.zeros(3, device=device).expand(2, 3)


on_cpu, on_meta = operands("cpu"), operands("meta")


def path():
    computed = torch.ops.aten.silu_backward(*on_cpu)
    promised = torch.ops.aten.silu_backward(*on_meta)
    return computed, promised


if __name__ == "__main__":
    computed, promised = path()
    print("computed:", computed.device, tuple(computed.shape), computed.stride(), computed.dtype)
    print("promised:", promised.device, tuple(promised.shape), promised.stride(), promised.dtype)
