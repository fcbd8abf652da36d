"""Where a compiler can gain: a product of matrices, a chain of pointwise operators, calls with no work."""

from time import process_time

import torch

ROUNDS = 101  # in each round both ways are timed once, in turn


# region cases
def product(x):
    """One matrix product: one call into the library of linear algebra."""
    return x @ x


def chain(x):
    """Eight pointwise operators."""
    return ((x * x + 1.0).sqrt() - x).abs() * 0.5 + x * 2.0


CASES = {
    "product": ("inductor", product, (512, 512), 4),
    "chain": ("inductor", chain, (1_000_000,), 4),
    "small_chain": ("inductor", chain, (8,), 500),
    "small_product": ("eager", product, (8, 8), 500),
}
# endregion


def seconds(function, x, times):
    """Seconds of the processor that so many calls take."""
    start = process_time()
    for _ in range(times):
        function(x)
    return process_time() - start


def measure():
    """Compiled over eager, on one thread, the best of many rounds each."""
    torch.set_num_threads(1)
    values = {}
    for name, (backend, function, shape, times) in CASES.items():
        x = torch.rand(shape)
        torch._dynamo.reset()
        with torch._inductor.utils.fresh_cache():
            compiled = torch.compile(function, backend=backend)
            seconds(compiled, x, times), seconds(function, x, times)  # compiles
            rounds = [(seconds(function, x, times), seconds(compiled, x, times)) for _ in range(ROUNDS)]
        eager, fast = (min(of_one_way) for of_one_way in zip(*rounds, strict=True))
        values[name] = round(eager / fast, 2)
    return values


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:32} {value}")
