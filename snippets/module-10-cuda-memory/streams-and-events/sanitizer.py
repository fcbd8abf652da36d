"""Three mistakes with two streams: which of them PyTorch's sanitizer finds."""

import contextlib
import io

import torch
from lag import new
from torch.cuda._sanitizer import CUDASanitizerErrors, enable_cuda_sanitizer

main, side = torch.cuda.current_stream(), torch.cuda.Stream()


# region mistakes
def read_too_early():
    x = new().zero_()
    with torch.cuda.stream(side):
        return x + 1  # side did not wait for main


def written_too_early():
    x = new().zero_()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = x + 1
    x.zero_()  # main did not wait for side
    return y


def freed_too_early():
    x = new().zero_()
    address = x.data_ptr()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        y = x + 1
    del x
    z = new().zero_()  # main did not wait for side, and this is the memory of x
    assert z.data_ptr() == address
    return y


# endregion


def main_program() -> None:
    enable_cuda_sanitizer()
    for mistake in read_too_early, written_too_early, freed_too_early:
        torch.cuda.synchronize()
        try:
            with contextlib.redirect_stderr(io.StringIO()):  # it prints the two stacks
                mistake()
            print(f"{mistake.__name__:18} not found")
        except CUDASanitizerErrors as errors:
            print(f"{mistake.__name__:18} {len(errors.errors)} error")


if __name__ == "__main__":
    main_program()
