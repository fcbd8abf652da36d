"""The cast cache of autocast, as a model: it tells before a run which casts of weights will be made."""


class CastCache:
    """Keeps a cast of each weight for as long as PyTorch would."""

    def __init__(self):
        self.depth = 0
        self.kept = {}

    def enter(self):
        """A region begins, perhaps inside another one."""
        self.depth += 1

    def leave(self):
        """The innermost region ends."""
        self.depth -= 1
        if self.depth == 0:
            self.kept.clear()

    def use(self, name: str, version: int, wants_gradient: bool) -> tuple[bool, int]:
        if not wants_gradient:
            return True, version
        cast = name not in self.kept
        return cast, self.kept.setdefault(name, version)
