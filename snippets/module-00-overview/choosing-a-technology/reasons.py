"""Where a compiler can gain: one product of matrices, a chain of pointwise operators, and calls too small to matter."""

from time import perf_counter

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
    """Seconds that so many calls take."""
    start = perf_counter()
    for _ in range(times):
        function(x)
    return perf_counter() - start


def measure():
    """Speeds of compiled functions relative to eager, on one thread, the best of many rounds each; and what the first call costs."""
    torch.set_num_threads(1)
    values = {}
    for name, (backend, function, shape, times) in CASES.items():
        x = torch.rand(shape)
        torch._dynamo.reset()
        with torch._inductor.utils.fresh_cache():
            compiled = torch.compile(function, backend=backend)
            first = seconds(compiled, x, 1)
            seconds(compiled, x, times), seconds(function, x, times)
            rounds = [(seconds(function, x, times), seconds(compiled, x, times)) for _ in range(ROUNDS)]
        eager, fast = (min(of_one_way) for of_one_way in zip(*rounds, strict=True))
        values[name] = round(eager / fast, 2)
        if name == "chain":
            values["chain_calls_to_pay"] = float(f"{first * times / (eager - fast):.1g}")
    return values


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:32} {value}")
