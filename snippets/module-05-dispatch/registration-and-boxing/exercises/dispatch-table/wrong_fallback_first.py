"""Asks for the fallback before the aliases, although a registered alias beats it."""

from solution import *  # noqa: F403
from solution import FALLBACK
from solution import entry as by_the_rules


def entry(key, registered, fallbacks):
    if key not in registered and key in fallbacks:
        return FALLBACK, "backend fallback"
    return by_the_rules(key, registered, fallbacks)
