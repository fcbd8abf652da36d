"""Takes a tensor to hide something, and to share it, when it has a base, which a detached tensor has not."""

import solution

held_bytes = solution.held_bytes


def slim(state):
    def kept(tensor):
        base = tensor._base
        return base is None or sum(other._base is base for other in state.values()) > 1

    return {name: tensor if kept(tensor) else tensor.clone() for name, tensor in state.items()}
