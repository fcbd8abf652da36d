"""No checkout of anybody takes part, as in the tests of the pins."""

from ..pins.conftest import no_tree

__all__ = ["no_tree"]
