"""Listens to `add.Tensor` alone, and so misses what is added in place and into `out`."""

import solution
from solution import *  # noqa: F403

solution.entrances = lambda: ["add.Tensor"]
