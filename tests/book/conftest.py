"""The installed torch, read once, as for the pins."""

from ..pins.conftest import sources, wheel

__all__ = ["sources", "wheel"]
