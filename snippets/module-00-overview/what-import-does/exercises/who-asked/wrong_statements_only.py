"""Wraps what the import statement calls, and so misses `importlib.import_module`, which torch uses."""

import builtins
import sys
from types import SimpleNamespace


def watch(names):
    original, asked = builtins.__import__, {}

    def wrapped(name, *arguments, **keywords):
        if name in names and name not in asked and name not in sys.modules:
            asked[name] = sys._getframe(1).f_code.co_filename
        return original(name, *arguments, **keywords)

    builtins.__import__ = wrapped
    return SimpleNamespace(asked=asked)
