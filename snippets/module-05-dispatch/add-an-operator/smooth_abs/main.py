"""book::smooth_abs in C++: every registration is used once, on torch's default device."""

import torch
from smooth_abs import smooth_abs
from torch.autograd import gradcheck, gradgradcheck
from torch.library import opcheck

# region path
x = torch.tensor([-300.0, 0.0, 300.0], requires_grad=True)


def path() -> None:
    with torch.autocast(x.device.type, dtype=torch.float16):
        y = smooth_abs(x)
    y.sum().backward()


# endregion


# region eager
def eager() -> None:
    y = smooth_abs(x, eps=400.0)
    (gradient,) = torch.autograd.grad(y.sum(), x)
    print(y.tolist(), gradient.tolist(), y.grad_fn.name())
    holes = torch.rand(3, 8).t()[::2]  # neither contiguous nor dense
    y = smooth_abs(holes)
    on_meta = smooth_abs(torch.empty_strided(holes.shape, holes.stride(), device="meta"))
    print(torch.allclose(y, (holes.square() + 1e-6).sqrt()), holes.stride(), y.stride(), on_meta.stride())


# endregion


# region checks
def checks() -> None:
    points = torch.tensor([[-2.0, 0.0], [0.3, 5.0]], dtype=torch.double, requires_grad=True)
    for inputs in (points, 0.5), (points.detach().t(),):
        print(opcheck(smooth_abs, inputs))
    print(gradcheck(smooth_abs, (points, 0.5)), gradgradcheck(smooth_abs, (points, 0.5)))


# endregion


# region compile
def compiled() -> None:
    def backend(graph: torch.fx.GraphModule, _) -> torch.fx.GraphModule:
        print([str(node.target) for node in graph.graph.nodes if node.op == "call_function"])
        return graph

    torch.compile(smooth_abs, backend=backend, fullgraph=True)(x)
    step = torch.compile(lambda v: smooth_abs(v, 400.0).sum(), backend="aot_eager", fullgraph=True)
    print(torch.autograd.grad(step(x), x)[0].tolist())


# endregion


# region vmap
def batched() -> None:
    rows = torch.tensor([[3.0, -4.0], [0.0, 5.0]])
    print(torch.vmap(smooth_abs, in_dims=(1, None), out_dims=1)(rows, 12.0).tolist())


# endregion


# region autocast
def cast() -> None:
    half = x.detach().half()
    try:
        smooth_abs(half)
    except NotImplementedError as error:
        print(error)
    with torch.autocast(x.device.type, dtype=torch.float16):
        y = smooth_abs(half)
    print(y.dtype, y[::2].tolist())


# endregion


# region refused
def refused() -> None:
    for wrong in (lambda: smooth_abs(x, 0.0), lambda: torch.func.grad(lambda v: smooth_abs(v).sum())(x)):
        try:
            wrong()
        except RuntimeError as error:
            print(error)


# endregion


if __name__ == "__main__":
    path()
    print([round(slope, 3) for slope in x.grad.tolist()])
    for part in eager, checks, compiled, batched, cast, refused:
        print(f"-- {part.__name__}")
        part()
