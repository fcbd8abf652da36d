"""Our engine and the engine of PyTorch run the same graphs: in the same order, to the same gradients?"""

import torch
from engine import run_backward
from torch import nn


# region graphs
def mlp() -> torch.Tensor:
    """Dropout scales, LayerNorm's node returns three gradients, the bias is broadcast."""
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.2), nn.LayerNorm(8), nn.Linear(8, 1))
    return net(torch.randn(3, 4)).pow(2).mean()


def convolution() -> torch.Tensor:
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.GELU(), nn.Flatten(), nn.Linear(36, 3))
    return nn.functional.cross_entropy(net(torch.randn(2, 1, 5, 5)), torch.tensor([0, 2]))


def transformer() -> torch.Tensor:
    return nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)(torch.randn(2, 5, 16)).sum()


def recurrent() -> torch.Tensor:
    """The same weights in each of six steps."""
    step = nn.Linear(4, 4)
    state = torch.randn(2, 4)
    for _ in range(6):
        state = torch.tanh(step(state)) + state
    return state.sum()


def tied() -> torch.Tensor:
    """One matrix that is both embedding and output layer."""
    table = nn.Embedding(10, 4)
    words = torch.tensor([1, 3, 3, 7])
    return nn.functional.cross_entropy(table(words[:-1]) @ table.weight.T, words[1:])


def half_used() -> torch.Tensor:
    """Of three results one is used twice and two are not used at all; two dtypes meet."""
    first, *_ = torch.randn(3, 2, requires_grad=True).unbind()
    return (first * first.exp() * torch.ones(2, dtype=torch.float64)).sum()


GRAPHS = mlp, convolution, transformer, recurrent, tied, half_used
# endregion


# region compare
def nodes_below(root):
    """Every node of the graph once, `root` included."""
    found = [root]
    for node in found:
        found += {below for below, _ in node.next_functions} - {None, *found}
    return found


def torch_order(loss):
    """Run backward, keep the graph, and return the nodes in the order in which PyTorch ran them."""
    order = []
    for node in nodes_below(loss.grad_fn):
        node.register_prehook(lambda grads, node=node: order.append(node))
    loss.backward(retain_graph=True)
    return order


def take_gradients(nodes):
    """The gradient of every leaf below, in any fixed order; the leaves are left without."""
    leaves = [node.variable for node in nodes if hasattr(node, "variable")]
    grads = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    return grads


# endregion

if __name__ == "__main__":
    for graph in GRAPHS:
        torch.manual_seed(0)
        loss = graph()
        nodes = nodes_below(loss.grad_fn)
        theirs = torch_order(loss)
        their_grads = take_gradients(nodes)
        ours = run_backward([(loss.grad_fn, 0)], [torch.ones_like(loss)])
        our_grads = take_gradients(nodes)
        bitwise = all(map(torch.equal, our_grads, their_grads))
        print(f"{graph.__name__:11} {len(ours):3} nodes, same order: {ours == theirs}, same bits: {bitwise}")
