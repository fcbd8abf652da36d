"""Memory runs out, and the handler wants to try again with less: what is still held, and by whom.

The process may have 1000 MiB, and a step needs three tensors at once.
"""

import gc
import traceback

import torch

MIB = 1 << 20
LIMIT = 1000 * MIB


def new(size: int) -> torch.Tensor:
    return torch.empty(size * MIB, dtype=torch.uint8, device="cuda")


def step(size: int) -> str:
    first = new(size)
    second = new(size)
    third = new(size)
    return f"three of {(first.nbytes + second.nbytes + third.nbytes) // 3 // MIB} MiB fit"


def held() -> str:
    tensors, reserved = torch.cuda.memory_allocated() // MIB, torch.cuda.memory_reserved() // MIB
    return f"{tensors} MiB in tensors, {reserved} reserved"


def attempt(size: int) -> str:
    try:
        return step(size)
    except torch.OutOfMemoryError:
        return f"three of {size} MiB do not fit"


# region inside
def inside() -> None:
    try:
        step(400)
    except torch.OutOfMemoryError:
        torch.cuda.empty_cache()
        print("in the handler:", held())
        print("  ", attempt(200))


# endregion


# region after
def after() -> None:
    failed = False
    try:
        step(400)
    except torch.OutOfMemoryError:
        failed = True
    if failed:
        print("after the handler:", held())
        print("  ", attempt(200))


# endregion


# region cleared
def cleared() -> None:
    try:
        step(400)
    except torch.OutOfMemoryError as error:
        traceback.clear_frames(error.__traceback__)
        print("in the handler, with the frames cleared:", held())
        print("  ", attempt(200))


# endregion


# region kept
def kept() -> torch.OutOfMemoryError:
    try:
        step(400)
    except torch.OutOfMemoryError as error:
        return error
    raise AssertionError("it fits")


def remembers() -> None:
    failure = None
    try:
        step(400)
    except torch.OutOfMemoryError as error:
        failure = error  # the error has the traceback, the traceback this frame, and this frame the error
    assert failure


# endregion


def main() -> None:
    torch.cuda.set_per_process_memory_fraction(LIMIT / torch.cuda.get_device_properties(0).total_memory)
    gc.disable()  # so that it is said below when a collection runs
    inside()
    after()
    cleared()
    error = kept()
    print("the error is kept:", held())
    error.__traceback__ = None
    print("  without its traceback:", held())
    remembers()
    print("the function that kept it has returned:", held())
    print("  ", attempt(200))
    torch.cuda.empty_cache()
    print("   empty_cache:", held())
    gc.collect()
    print("   a collection:", held())
    print("  ", attempt(200))


if __name__ == "__main__":
    main()
