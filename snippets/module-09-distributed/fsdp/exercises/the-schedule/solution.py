"""The schedule of a step: who is gathered, used, freed and reduced, in which order."""


def schedule(
    count: int,
    kept: frozenset[int] = frozenset(),
    *,
    sync: bool = True,
    input_needs_grad: bool = False,
) -> tuple[list[str], list[str]]:
    forward, backward = ["gather head", "out head"], []
    whole = {"head"}  # the root's group is not freed after forward
    for block in range(count):
        forward += [f"gather {block}", f"out {block}", f"use {block}"]
        if block in kept:
            whole.add(block)
        else:
            forward.append(f"free {block}")
    forward.append("use head")

    def finish(group) -> None:
        backward.append(f"free {group}")
        if sync:
            backward.append(f"reduce {group}")

    def prefetch(block: int) -> None:
        if block >= 0 and block not in whole:
            backward.append(f"gather {block}")

    prefetch(count - 1)  # when backward reaches the output of the root
    backward.append("use head")
    for block in reversed(range(count)):
        if block not in whole:
            backward.append(f"out {block}")
        prefetch(block - 1)
        if block > 0 or input_needs_grad:
            backward.append(f"use {block}")  # for the gradient of its input
            finish(block)
    finish("head")
    if not input_needs_grad:
        finish(0)  # no node of the graph stands before it: done when backward ends
    return forward, backward
