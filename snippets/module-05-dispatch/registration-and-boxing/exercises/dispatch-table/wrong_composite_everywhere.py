"""Lets the implicit composite fill its slots although a backend has a kernel of its own."""

import solution
from solution import *  # noqa: F403

solution.backends = lambda autograd_key: set()
