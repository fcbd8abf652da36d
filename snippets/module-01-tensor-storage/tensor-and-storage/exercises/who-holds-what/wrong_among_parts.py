"""Asks only the tensors that show a part whether they share, and not the one that shows the whole."""

import solution

held_bytes = solution.held_bytes


def slim(state):
    parts = {name: t for name, t in state.items() if t.nbytes < t.untyped_storage().nbytes()}
    return state | solution.slim(parts)
