"""The instruction for `is` and `is not`."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from small_dynamo import Frame


class WithIdentity(Frame):
    """The small Dynamo, with one instruction more."""

    def IS_OP(self, one: Any) -> None:
        """Takes two from the stack, leaves a `Known`: are they one thing? `one.arg` is 1 for `is not`."""

        raise NotImplementedError
