"""Which questions a lazy tensor answers by itself, and for which it has to be computed."""

import threading

import torch
import torch._lazy
from torch._lazy import ts_backend
from torch.autograd.profiler import profile
from watch import counted, nodes


def in_a_thread(function):
    """What a function returns in another thread."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


# region questions
questions = {
    "y.shape": lambda y: y.shape,
    "len(y)": len,
    "y.t().stride()": lambda y: y.t().stride(),
    "y.data_ptr()": lambda y: y.data_ptr(),
    "y.as_strided((2,), (1,))": lambda y: y.as_strided((2,), (1,)).device,
    "y.unsafe_split(1)": lambda y: y.unsafe_split(1),
    "y + 1, elsewhere": lambda y: in_a_thread(lambda: y + 1).device,
    "y @ y": lambda y: (y @ y).device,
    "bool(y.sum() > 0)": lambda y: bool(y.sum() > 0),
    "y.sum().item()": lambda y: y.sum().item(),
    "y.tolist()": lambda y: y.tolist(),
    "y.cpu()": lambda y: y.cpu().device,
    "torch.equal(y, y)": lambda y: torch.equal(y, y),
    "a, b = y": lambda y: [part.device for part in y],
    "y[y > 0]": lambda y: y[y > 0].shape,
    "y.nonzero()": lambda y: y.nonzero().shape,
    "y.sin()": lambda y: y.sin().device,
    "y.cumprod(0)": lambda y: y.cumprod(0).device,
    "y.exponential_()": lambda y: y.exponential_().device,
    "torch.where(y > 0, y, y)": lambda y: torch.where(y > 0, y, y).device,
    "y.numpy()": lambda y: y.numpy(),
    "y + torch.tensor(1.0)": lambda y: (y + torch.tensor(1.0)).device,
    "y + torch.ones(2, 2)": lambda y: y + torch.ones(2, 2),
    "y.hypot(torch.ones(2, 2))": lambda y: y.hypot(torch.ones(2, 2)).device,
    "torch.empty(2, 2).copy_(y)": lambda y: torch.empty(2, 2).copy_(y),
}
# endregion

if __name__ == "__main__":
    # region answers
    for name, question in questions.items():
        y = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).to("lazy") * 2
        counted()
        try:
            answer = question(y)
        except (RuntimeError, TypeError) as error:
            answer = f"{type(error).__name__}: {str(error)[:46]}"
        found = counted()
        ran = "computed" if "SyncedTensorsWithIR" in found else "-"
        print(f"{name:27}{ran:9}", answer, *(counter for counter in found if counter.startswith("aten::")))
    # endregion
    # region kernels
    operators = torch._C._dispatch_get_all_op_names()
    lazy = [name for name in operators if torch._C._dispatch_has_kernel_for_dispatch_key(name, "Lazy")]
    print("operators with a lazy kernel:", len(lazy))
    names = "matmul", "nonzero", "sin", "cumprod", "where.self"
    print(*(f"{name} {'aten::' + name in lazy}" for name in names))
    # endregion
    # region argument
    torch._lazy.mark_step()
    x = torch.ones(2).to("lazy")
    y = x + 1
    counted()
    torch._lazy.mark_step()
    print("x from the CPU, y = x + 1; a step computes", counted()["SyncedTensorsWithIR"])
    # endregion
    # region kept
    noise = torch.rand(2, device="lazy")
    seen = noise.cpu()
    print("noise was looked at; of what was seen:", end=" ")
    print("neg", torch.equal(noise.neg().cpu(), -seen), "sin", torch.allclose(noise.sin().cpu(), seen.sin()))
    # endregion
    # region lost
    x = torch.ones(1, 4, 1, 1).to("lazy") + 1
    print("behind x:                  ", *nodes(x))
    print("behind pixel_shuffle(x, 2):", *nodes(torch.nn.functional.pixel_shuffle(x, 2)))
    # endregion
    # region merged
    x = torch.ones(2).to("lazy") * 2
    total = x.tanh() + x.tanh()
    waits = nodes(total)
    with profile() as run:
        total.tolist()
    calls = [event.name for event in run.function_events]
    print("tanh(x) + tanh(x): nodes", waits.count("tanh"), "calls", calls.count("aten::tanh"))
    # endregion
    # region strided
    for device in "cpu", "lazy":
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]]).to(device)
        print("t().as_strided((2,), (1,)) on", device, x.t().as_strided((2,), (1,)).tolist())
    # endregion
    # region twice
    try:
        ts_backend.init()
    except RuntimeError as error:
        print("a second init():", str(error).partition(";")[0])
    # endregion
