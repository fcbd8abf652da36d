"""Batch norm folded into the convolution before it: a pass, and each of its questions left out."""

import copy
import itertools
from collections.abc import Callable

import torch
from torch import Tensor, fx, nn
from torch.nn.modules import module as every

CONVOLUTIONS = nn.Conv1d, nn.Conv2d, nn.Conv3d
NORMS = nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d


# region questions
def is_call_of(node: object, layers: dict[str, nn.Module], kinds: tuple[type, ...]) -> bool:
    """Whether a node calls a module of exactly one of these classes."""
    return isinstance(node, fx.Node) and node.op == "call_module" and type(layers[node.target]) in kinds


def hooks_of(layer: nn.Module) -> int:
    """How many hooks a module has, of the forward and the backward pass, with those of all modules."""
    kinds = "forward_hooks", "forward_pre_hooks", "backward_hooks", "backward_pre_hooks"
    return sum(len(getattr(layer, f"_{kind}")) + len(getattr(every, f"_global_{kind}")) for kind in kinds)


QUESTIONS: dict[str, Callable[[fx.Node, nn.Module, nn.Module], bool]] = {
    "in evaluation": lambda node, conv, norm: not norm.training,
    "has statistics": lambda node, conv, norm: norm.running_mean is not None,
    "no hooks": lambda node, conv, norm: not hooks_of(conv) and not hooks_of(norm),
    "the only user": lambda node, conv, norm: len(node.all_input_nodes[0].users) == 1,
}
# endregion


# region arithmetic
def folded(conv: nn.Module, norm: nn.Module) -> nn.Module:
    """A convolution that computes what the two compute one after the other."""
    conv = copy.deepcopy(conv)
    with torch.no_grad():
        scale = (norm.running_var + norm.eps).rsqrt()
        shift = -norm.running_mean
        if conv.bias is not None:
            shift = shift + conv.bias
        shift = shift * scale
        if norm.affine:
            scale, shift = scale * norm.weight, shift * norm.weight + norm.bias
        conv.weight.mul_(scale.reshape(-1, *[1] * (conv.weight.dim() - 1)))
        conv.bias = nn.Parameter(shift.to(conv.weight.dtype))
    return conv


# endregion


# region fold
def fold(model: nn.Module, skip: str = "") -> tuple[fx.GraphModule, dict[str, str]]:
    """The model with its batch norms folded, and for each what was done; one question can be skipped."""
    module = fx.symbolic_trace(model)
    layers = dict(module.named_modules())
    done = {}
    for node in module.graph.nodes:
        if not is_call_of(node, layers, NORMS):
            continue
        before = node.all_input_nodes[0]
        if not is_call_of(before, layers, CONVOLUTIONS):
            continue
        conv, norm = layers[before.target], layers[node.target]
        noes = [word for word, ask in QUESTIONS.items() if word != skip and not ask(node, conv, norm)]
        done[node.name] = "left: " + ", ".join(noes) if noes else "folded"
        if noes:
            continue
        name = next(name for n in itertools.count(1) if not hasattr(module, name := f"folded_{n}"))
        layers[name] = folded(conv, norm)
        module.add_submodule(name, layers[name])
        with module.graph.inserting_before(before):
            new = module.graph.call_module(name, before.args, before.kwargs)
        new.meta = {**node.meta}
        node.replace_all_uses_with(new)
        module.graph.erase_node(node)
        if not before.users:
            module.graph.erase_node(before)
    module.delete_all_unused_submodules()
    module.graph.lint()
    module.recompile()
    return module, done


# endregion


# region models
class Pair(nn.Module):
    """A convolution and a batch norm that has seen something, in evaluation."""

    def __init__(self, **options: bool):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3, **options)
        self.train()(torch.arange(150.0).sin().reshape(3, 2, 5, 5))
        self.eval()

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x))


class Twice(Pair):
    """The convolution is called twice, and one of the calls is not normalised."""

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x)) + self.conv(-x)


class Beside(Pair):
    """The convolution's result is used beside the batch norm too."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        return self.norm(y) + y


class Written(Pair):
    """What the convolution returned is written to before the batch norm reads it."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.conv(x)
        y.neg_()
        return self.norm(y)


class Later(Pair):
    """The convolution's input is written to before the batch norm is called."""

    def forward(self, x: Tensor) -> Tensor:
        x = x * 1
        y = self.conv(x)
        x.neg_()
        return self.norm(y)


def hooked(pair: Pair) -> Pair:
    """With a hook that doubles what the convolution returns."""
    pair.conv.register_forward_hook(lambda conv, args, result: result * 2)
    return pair


def hooked_backward(pair: Pair) -> Pair:
    """With a backward hook of the norm."""
    pair.norm.register_full_backward_hook(lambda norm, given, of_result: None)
    return pair


MODELS = {
    "a pair": (lambda: Pair(), ""),
    "called twice": (lambda: Twice(), ""),
    "in training": (lambda: Pair().train(), "in evaluation"),
    "no statistics": (lambda: Pair(track_running_stats=False), "has statistics"),
    "a hook": (lambda: hooked(Pair()), "no hooks"),
    "backward hook": (lambda: hooked_backward(Pair()), "no hooks"),
    "used beside": (lambda: Beside(), "the only user"),
    "written to": (lambda: Written(), "the only user"),
    "input written": (lambda: Later(), ""),
}
# endregion


def compared(model: nn.Module, skip: str = "") -> str:
    """Whether the pass keeps what the model computes, and the calls of layers that are left."""
    x = torch.arange(100.0).cos().reshape(2, 2, 5, 5)
    wanted = copy.deepcopy(model)(x)
    try:
        module, _ = fold(model, skip)
    except (AttributeError, TypeError) as error:
        return type(error).__name__
    same = torch.allclose(module(x), wanted, atol=1e-5)
    calls = [node.target for node in module.graph.nodes if node.op == "call_module"]
    left = " ".join(type(module.get_submodule(name)).__name__ for name in calls)
    return f"{'same' if same else 'OTHER'} values, {left}"


if __name__ == "__main__":
    torch.manual_seed(0)
    # region show
    for name, (make, question) in MODELS.items():
        model = make()
        _, done = fold(model)
        print(f"{name:14} {done['norm']:22} {compared(model)}")
        if question:
            print(f"{'':14} {'without the question':22} {compared(model, question)}")
    # endregion
