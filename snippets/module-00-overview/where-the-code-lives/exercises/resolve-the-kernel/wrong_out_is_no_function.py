"""Takes the kernel of an `out` form for the one that allocates."""

import solution
from solution import *  # noqa: F403

solution.is_out = lambda entry: False
