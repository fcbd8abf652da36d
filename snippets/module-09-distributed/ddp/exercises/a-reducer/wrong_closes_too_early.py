"""A bucket is closed before it would have more than its cap, and not when it has reached it."""

import solution
from solution import Reducer  # noqa: F401


def assign(order: list[int], sizes: list[int], caps: list[int]) -> list[list[int]]:
    buckets, bucket, size = [], [], 0
    for index in order:
        if bucket and size + sizes[index] > caps[min(len(buckets), len(caps) - 1)]:
            buckets.append(bucket)
            bucket, size = [], 0
        bucket.append(index)
        size += sizes[index]
    return [*buckets, bucket] if bucket else buckets


solution.assign = assign
