"""Compares stand-ins as they lie there: of one tensor under two names there are two, not looked at."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_dynamo import Frame, Known


class WithIdentity(Frame):
    """The small Dynamo, with one instruction more."""

    def IS_OP(self, one: Any) -> None:
        """Takes two from the stack, leaves a `Known`: are they one thing? `one.arg` is 1 for `is not`."""

        first, second = self.several(2)
        known = [self.trace.realize(each) for each in (first, second)]
        if all(isinstance(each, Known) for each in known):
            same = known[0].value is known[1].value
        else:
            same = first is second
        self.stack.append(Known(same is not bool(one.arg)))
