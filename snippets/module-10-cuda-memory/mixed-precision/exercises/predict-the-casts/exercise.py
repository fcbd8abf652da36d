"""The cast cache of autocast, as a model: it tells before a run which casts of weights will be made."""


class CastCache:
    """Keeps a cast of each weight for as long as PyTorch would."""

    def __init__(self):
        self.depth = 0  # of the regions that are entered
        self.kept = {}  # by a weight's name, the version of the weight that was cast

    def enter(self):
        """A region begins, perhaps inside another one."""
        raise NotImplementedError

    def leave(self):
        """The innermost region ends."""
        raise NotImplementedError

    def use(self, name: str, version: int, wants_gradient: bool) -> tuple[bool, int]:
        """A product with this weight is called, inside a region.

        `version` counts how often the weight has been written. Say whether the weight is cast now, and of
        which version the product sees the values.
        """
        raise NotImplementedError
