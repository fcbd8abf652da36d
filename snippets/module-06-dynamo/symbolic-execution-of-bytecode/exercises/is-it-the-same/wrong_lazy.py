"""Compares the values behind the stand-ins, without a look: no condition is noted."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_dynamo import Frame, Known


class WithIdentity(Frame):
    """The small Dynamo, with one instruction more."""

    def IS_OP(self, one: Any) -> None:
        """Takes two from the stack, leaves a `Known`: are they one thing? `one.arg` is 1 for `is not`."""

        first, second = (getattr(each, "value", each) for each in self.several(2))
        self.stack.append(Known((first is second) is not bool(one.arg)))
