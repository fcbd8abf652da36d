"""What products of matrices leave allocated: PyTorch's workspaces for cuBLAS."""

import os

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:4"  # 4 pieces of 4096 KiB

import torch

MiB = 1 << 20


# region products
def tell(what: str) -> None:
    print(f"{what:40}{torch.cuda.memory_allocated() / MiB:6.1f} MiB")


def main() -> None:
    a = torch.ones(8, 8, device="cuda", requires_grad=True)
    tell("a matrix of 256 bytes")
    product = a @ a
    tell("a @ a")
    a @ a
    tell("again")
    with torch.cuda.stream(torch.cuda.Stream()):
        a @ a
    tell("on another stream")
    with torch.cuda.graph(graph := torch.cuda.CUDAGraph()), torch.no_grad():
        a @ a
    tell("in a captured graph")
    product.sum().backward()
    tell("backward, in the device's thread")
    del product, graph
    tell("del graph")
    torch.cuda.empty_cache()
    tell("empty_cache")
    torch._C._cuda_clearCublasWorkspaces()
    tell("_cuda_clearCublasWorkspaces")


# endregion

if __name__ == "__main__":
    main()
