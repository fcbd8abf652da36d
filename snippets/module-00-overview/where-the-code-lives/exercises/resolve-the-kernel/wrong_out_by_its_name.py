"""Takes for `out` forms only those whose name says so."""

import solution
from solution import *  # noqa: F403

solution.is_out = lambda entry: entry["func"].partition("(")[0].endswith("out")
