"""Our block against torch's layer with the same weights; attention by hand against the fused operator."""

import copy

import torch
from decoder import Block, Decoder, by_hand, fused, visible
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

WIDTH, HEADS, LENGTH = 64, 4, 32

# region names
NAMES = {
    "self_attn.in_proj_weight": "attention.qkv.weight",
    "self_attn.in_proj_bias": "attention.qkv.bias",
    "self_attn.out_proj.weight": "attention.out.weight",
    "self_attn.out_proj.bias": "attention.out.bias",
    "linear1.weight": "up.weight",
    "linear1.bias": "up.bias",
    "linear2.weight": "down.weight",
    "linear2.bias": "down.bias",
}


def torch_layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(
        WIDTH, HEADS, 4 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
    )


# endregion


# region compare
def largest(ours: torch.Tensor, theirs: torch.Tensor) -> str:
    """How far two results are apart, as a bound."""
    return "below 1e-5" if (ours - theirs).abs().max() < 1e-5 else "ABOVE 1e-5"


def compare() -> None:
    layer, x = torch_layer(), torch.randn(2, LENGTH, WIDTH)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.normal_(std=0.1)  # biases too, which begin at zero
    block = Block(WIDTH, HEADS)
    print(block.load_state_dict({NAMES.get(name, name): value for name, value in layer.state_dict().items()}))
    mask = ~visible(LENGTH, LENGTH)  # for this layer, true means: not to be seen
    ours, theirs = block(x), layer(x, src_mask=mask, is_causal=True)
    print("outputs, training:", largest(ours, theirs))
    ours.square().sum().backward()
    theirs.square().sum().backward()
    grads = dict(block.named_parameters())
    apart = max(
        ((grads[NAMES.get(name, name)].grad - each.grad).norm() / each.grad.norm()).item()
        for name, each in layer.named_parameters()
    )
    print("gradients of", len(grads), "parameters, relative:", "below 1e-5" if apart < 1e-5 else apart)
    layer.eval()
    with torch.no_grad():
        theirs = layer(x, src_mask=mask, is_causal=True)
        print("outputs, fused operator of eval mode:", largest(block(x), theirs))


# endregion


# region attention
def attention() -> None:
    q, k, v = torch.randn(3, 2, HEADS, LENGTH, 16)
    for kernel in SDPBackend.MATH, SDPBackend.FLASH_ATTENTION:
        with sdpa_kernel(kernel):
            print(kernel.name, largest(by_hand(q, k, v), fused(q, k, v)), end="; ")
            last = q[:, :, -3:]
            print("the last three tokens alone:", largest(by_hand(last, k, v), fused(last, k, v)))


def model() -> None:
    ours = Decoder(40, LENGTH, WIDTH, HEADS, blocks=2)
    theirs = copy.deepcopy(ours)
    for block in theirs.blocks:
        block.attention.attend = fused
    tokens = torch.randint(40, (2, LENGTH))
    print("a decoder with either:", largest(ours(tokens), theirs(tokens)))


# endregion


if __name__ == "__main__":
    compare()
    attention()
    model()
