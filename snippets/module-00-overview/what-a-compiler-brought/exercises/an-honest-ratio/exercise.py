"""What did a compiler bring? A ratio that a busy machine does not spoil, and the calls until it pays."""

import time


def compare(ways, clock=time.process_time, rounds=21, times=5):
    """Compare ways of computing the same thing with the first of them, eager.

    `ways` is a mapping from names to functions without arguments, none of which was called before; the first
    is eager. `clock` is a function that returns seconds. Returns a mapping from each name but the first to a
    pair:

    - how many times as fast as eager the way is, once it has been called;
    - after how many calls it has taken no more time than eager would have taken for as many, the first call,
      which compiles, included; None if it is not faster.

    The machine is busy with other work, which slows any call down, some more than others; it never makes one
    faster.
    Each way is timed in `rounds` rounds of `times` calls.
    """
    raise NotImplementedError
