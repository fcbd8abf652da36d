"""Wraps the two functions that import by name, and so misses a module that comes with another."""

import builtins
import importlib
import importlib.util
import sys
from types import SimpleNamespace


def watch(names):
    statement, function, asked = builtins.__import__, importlib.import_module, {}

    def note(name):
        if name in names and name not in asked and name not in sys.modules:
            asked[name] = sys._getframe(2).f_code.co_filename

    def by_statement(name, *arguments, **keywords):
        note(name)
        return statement(name, *arguments, **keywords)

    def by_function(name, package=None):
        note(importlib.util.resolve_name(name, package))
        return function(name, package)

    builtins.__import__, importlib.import_module = by_statement, by_function
    return SimpleNamespace(asked=asked)
