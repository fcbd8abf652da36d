"""Compares the sources of tensors, of which a result has none."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_dynamo import Frame, Known


class WithIdentity(Frame):
    """The small Dynamo, with one instruction more."""

    def IS_OP(self, one: Any) -> None:
        """Takes two from the stack, leaves a `Known`: are they one thing? `one.arg` is 1 for `is not`."""

        first, second = map(self.trace.realize, self.several(2))
        if isinstance(first, Known) and isinstance(second, Known):
            same = first.value is second.value
        else:
            same = type(first) is type(second) and first.source == second.source
        self.stack.append(Known(same is not bool(one.arg)))
