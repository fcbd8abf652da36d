"""Record `(a * b + a).sum()` and print what the forward pass wrote down.

For each node, from the loss towards the leaves: its name, when it was made (counted from the first node of
this graph), the shapes of the gradients it expects, its edges as `node:input`, and what it saved.
"""

import torch

# region build
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)
loss = (a * b + a).sum()
# endregion

LEAVES = {id(a): "a", id(b): "b"}


# region walk
def walk(root):
    """Yield every node once, depth first."""
    seen, stack = set(), [root]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(child for child, _ in reversed(node.next_functions) if child is not None)


# endregion


# region describe
def label(node):
    """The node's name; the node of a leaf names its leaf."""
    return f"{node.name().split('::')[-1]}({LEAVES[id(node.variable)]})" if is_leaf(node) else node.name()


def is_leaf(node):
    """Only AccumulateGrad has a `variable`: the leaf whose `.grad` it fills."""
    return hasattr(node, "variable")


def saved(node):
    """Everything the node keeps for its formula, by the name the formula uses."""
    for name in sorted(name for name in dir(node) if name.startswith("_saved_")):
        value = getattr(node, name)
        yield f"{name.removeprefix('_saved_')} = {value.tolist() if torch.is_tensor(value) else value}"


def describe(node, first):
    made = "" if is_leaf(node) else f", made at +{node._sequence_nr() - first}"
    yield f"{label(node)}{made}"
    yield f"    expects {', '.join(str(tuple(metadata.shape)) for metadata in node._input_metadata)}"
    for child, number in node.next_functions:
        yield f"    edge {label(child) if child else 'nowhere'}:{number}"
    yield from (f"    saved {kept}" for kept in saved(node))


# endregion


if __name__ == "__main__":
    nodes = list(walk(loss.grad_fn))
    first = min(node._sequence_nr() for node in nodes)
    for node in nodes:
        print(*describe(node, first), sep="\n")
