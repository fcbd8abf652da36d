"""A block that another stream reads is freed, and memory is asked for while that stream lags, and later."""

import torch
from lag import catch_up, lag, new

side = torch.cuda.Stream()


# region path
def path():
    x = new()
    x.record_stream(side)
    lag(side)
    with torch.cuda.stream(side):
        x.zero_()
    del x
    too_early = new()
    catch_up(side)
    return too_early, new()


# endregion


if __name__ == "__main__":
    new()  # so that there is a block to begin with
    before = torch.cuda.memory_reserved()
    early, late = path()
    print("blocks that the driver was asked for:", (torch.cuda.memory_reserved() - before) >> 26)
