"""The numbers of the nodes turned round: what depends on the order of a backward?"""

import torch
from against_torch import GRAPHS, nodes_below, take_gradients
from engine import count_dependencies, run_backward

if __name__ == "__main__":
    for graph in GRAPHS:
        torch.manual_seed(0)
        loss = graph()
        roots, nodes = [(loss.grad_fn, 0)], nodes_below(loss.grad_fn)
        orders, grads = [], []
        for _ in range(2):
            orders.append(run_backward(roots, [torch.ones_like(loss)]))
            grads.append(take_gradients(nodes))
            for node in nodes:
                node._set_sequence_nr(2**64 - 1 - node._sequence_nr())
        order = "same" if orders[0] == orders[1] else "other"
        meet = max(count_dependencies(roots).values())
        close = all(torch.allclose(*pair, atol=1e-5) for pair in zip(*grads, strict=True))
        bits = all(map(torch.equal, *grads))
        print(f"{graph.__name__:11} {order:5} order, at most {meet} meet, close: {close}, same bits: {bits}")
