"""Where the order is nobody's promise: leaves that become ready together have the same number."""

import torch
from against_torch import torch_order
from engine import run_backward

if __name__ == "__main__":
    for number in 3, 6:
        leaves = [torch.randn(2, requires_grad=True) for _ in range(number)]
        loss = torch.stack(leaves).sum()
        stack = loss.grad_fn.next_functions[0][0]
        name = {node: f"leaf {index}" for index, (node, _) in enumerate(stack.next_functions)}
        for engine, order in {
            "torch": torch_order(loss),
            "ours ": run_backward([(loss.grad_fn, 0)], [torch.ones_like(loss)]),
        }.items():
            print(engine, *(name[node] for node in order if node in name))
