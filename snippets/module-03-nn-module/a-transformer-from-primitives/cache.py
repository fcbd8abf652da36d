"""The same tokens with a cache and without, and what the cache saves, in operations."""

import torch
from decoder import Decoder, generate
from torch.utils.flop_counter import FlopCounterMode

WIDTH, BLOCKS, SYMBOLS, PROMPT = 64, 2, 40, 16


# region formula
def forward_flops(new: int, total: int) -> int:
    """The products of one forward: `new` tokens are fed, `total` are seen."""
    linear = 12 * WIDTH**2  # weights of a block: 3 for queries, keys and values, 1 for the output, 4 and 4
    return 2 * new * (BLOCKS * (linear + 2 * total * WIDTH) + SYMBOLS * WIDTH)


def formula(count: int, cached: bool) -> int:
    if cached:
        one_by_one = (forward_flops(1, PROMPT + step) for step in range(1, count))
        return forward_flops(PROMPT, PROMPT) + sum(one_by_one)
    return sum(forward_flops(PROMPT + step, PROMPT + step) for step in range(count))


# endregion


# region count
def counted(model: Decoder, prompt: torch.Tensor, count: int, cached: bool) -> tuple[torch.Tensor, int]:
    with FlopCounterMode(display=False) as flops:
        tokens = generate(model, prompt, count, cached)
    return tokens, flops.get_total_flops()


# endregion


if __name__ == "__main__":
    model = Decoder(SYMBOLS, 256, WIDTH, heads=4, blocks=BLOCKS)
    prompt = torch.randint(SYMBOLS, (1, PROMPT))
    print("new tokens   without        with  ratio   same tokens  as the formula")
    for count in 1, 16, 48, 112:
        plain, without = counted(model, prompt, count, cached=False)
        cached, saved = counted(model, prompt, count, cached=True)
        right = (formula(count, False), formula(count, True)) == (without, saved)
        line = f"{count:10} {without:9} {saved:11} {without / saved:6.1f}   "
        print(line + f"{torch.equal(plain, cached)!s:11}  {right}")
    caches = model.caches()
    print("bytes for a token: of keys and values, of the storages that hold them")
    for what, fed in ("after the prompt", prompt), ("after one more", prompt[:, :1]):
        with torch.no_grad():
            model(fed, caches)
        held = [each for cache in caches for each in cache.values()]
        storages = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in held}
        bytes_of = sum(each.nbytes for each in held), sum(storages.values())
        print(f"{what}:", *(each // held[0].shape[2] for each in bytes_of))
    with torch.no_grad(), torch.autograd.profiler.profile() as seen:
        model(prompt[:, :1], caches)
    copies = sum(each.name == "aten::cat" for each in seen.function_events)
    print(f"calls of cat for one token, in {BLOCKS} blocks: {copies}")
