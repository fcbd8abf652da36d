"""A block is freed while a stream that reads it lags. Is it given to the next tensor at once?"""

import torch
from lag import catch_up, keep_blocks, lag, new

main, side = torch.cuda.current_stream(), torch.cuda.Stream()


# region ways
def on(stream, work):
    with torch.cuda.stream(stream):
        return work()


def same_stream(x):
    lag(main)
    return x + 1


def read_on_side(x):
    lag(side)
    return on(side, lambda: x + 1)


def recorded(x):
    x.record_stream(side)
    return read_on_side(x)


def waited_for(x):
    result = read_on_side(x)
    main.wait_stream(side)
    return result


def recorded_and_done(x):
    """The read is done, and the side stream lags with something else when x is freed."""
    x.record_stream(side)
    result = on(side, lambda: x + 1)
    side.synchronize()
    lag(side)
    on(side, lambda: result + 1)
    return result


def recorded_and_waited_for(x):
    x.record_stream(side)
    return waited_for(x)


# endregion


def given_again(read, owner=main, next_owner=main, late=side) -> str:
    """When the block of x is given to a new tensor: while `late` lags, afterwards, or not at all."""
    if read is not read_nowhere:
        keep_blocks(4, main, side)
    x = on(owner, new)
    address = x.data_ptr()
    kept = [read(x)]  # tensors that live on, so that their blocks are not free
    del x
    answer = "no"
    for when in "at once", "when it has caught up":
        kept.append(on(next_owner, new))
        if answer == "no" and kept[-1].data_ptr() == address:
            answer = when
        catch_up(late)
    torch.cuda.synchronize()
    kept.clear()
    torch.cuda.empty_cache()
    return answer


def read_on_main(x):
    main.wait_stream(side)
    lag(main)
    return x + 1


def read_nowhere(x):
    return None


def main_program() -> None:
    for what, answer in {
        "main's block, read on main": given_again(same_stream, late=main),
        "main's block, read on side": given_again(read_on_side),
        "  and recorded": given_again(recorded),
        "  and waited for": given_again(waited_for),
        "  and recorded and waited for": given_again(recorded_and_waited_for),
        "  recorded, read long ago": given_again(recorded_and_done),
        "side's block, read on main": given_again(read_on_main, owner=side, next_owner=side, late=main),
        "main's block, asked for on side": given_again(read_nowhere, next_owner=side),
    }.items():
        print(f"{what:34}{answer}")


if __name__ == "__main__":
    main_program()
