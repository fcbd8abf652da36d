"""Operators: what torchgen knows of each, the names that it writes for it, where the book speaks of it."""
