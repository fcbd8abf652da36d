"""What two modes of torch.compile change in the code that Inductor generates for the CPU."""

import torch
from torch._dynamo.utils import counters
from torch._inductor.cudagraph_utils import check_multiple_devices_or_any_cpu_nodes as check
from torch._inductor.utils import run_and_get_code


def chain(x):
    """Pointwise operators, which become one kernel."""
    return ((x * x + 1.0).sqrt() - x).abs() * 0.5


def kernels(code):
    """The part of a generated module that is C++."""
    return [part.split("''')")[0] for part in code.split("r'''")[1:]]


if __name__ == "__main__":
    x, generated = torch.rand(1_000), {}
    for mode in ("default", "reduce-overhead", "max-autotune"):
        torch._dynamo.reset()
        counters.clear()
        _, (code,) = run_and_get_code(torch.compile(chain, mode=mode), x)
        generated[mode] = kernels(code)
        print(mode, torch._inductor.list_mode_options()[mode])
        print(
            "  kernels:",
            len(generated[mode]),
            "the same as by default:",
            generated[mode] == generated["default"],
        )
        print("  CUDA graphs skipped:", counters["inductor"]["cudagraph_skips"])
        print("  checks of sizes:", code.count("assert_size_stride("))
    with torch._inductor.config.patch("triton.cudagraphs", True):
        print("CUDA graphs, the CPU alone:", repr(check({x.device: None})))
        print("CUDA graphs, beside a GPU:", repr(check({x.device: None, torch.device("cuda:0"): None})))
