"""Takes the last stride for the step from number to number, though the last size may be 1."""

import solution

windows, rows = solution.windows, solution.rows


def shares(x, length):
    runs, step = [x.shape[-1]], x.stride(-1)
    for size, stride in zip(x.shape[-2::-1], x.stride()[-2::-1], strict=True):
        if size == 1 or stride == runs[-1] * step:
            runs[-1] *= size
        else:
            runs.append(size)
            step = stride
    return len(runs) == 1 or (len(runs) == 2 and runs[0] == length)
