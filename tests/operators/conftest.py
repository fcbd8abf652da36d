"""The installed torch, read once, as for the pins."""

from ..pins.conftest import libraries, no_tree, searched, sources, wheel

__all__ = ["libraries", "no_tree", "searched", "sources", "wheel"]
