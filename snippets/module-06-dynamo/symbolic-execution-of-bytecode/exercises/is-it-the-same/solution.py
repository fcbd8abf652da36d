"""The instruction for `is` and `is not`."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_dynamo import Frame, InGraph, Known


class WithIdentity(Frame):
    """The small Dynamo, with one instruction more."""

    def IS_OP(self, one: Any) -> None:
        """Takes two from the stack, leaves a `Known`: are they one thing? `one.arg` is 1 for `is not`."""

        first, second = map(self.trace.realize, self.several(2))
        if isinstance(first, Known) and isinstance(second, Known):
            same = first.value is second.value
        elif isinstance(first, InGraph) and isinstance(second, InGraph):
            same = first.fake is second.fake  # what works in place gives a node of its own, and the same fake
        else:
            same = first is second
        self.stack.append(Known(same is not bool(one.arg)))
