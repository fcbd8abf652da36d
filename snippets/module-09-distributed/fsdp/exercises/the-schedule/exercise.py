"""What `fully_shard` does with the weights of a chain of blocks and a head, in one step."""


def schedule(
    count: int,
    kept: frozenset[int] = frozenset(),
    *,
    sync: bool = True,
    input_needs_grad: bool = False,
) -> tuple[list[str], list[str]]:
    """The events of forward and of backward: ``gather 0``, ``out 0``, ``use 0``, ``free 0``, ``reduce 0``.

    ``count`` blocks and then ``head``. Each block is a group; the head is of the root's. The blocks in
    ``kept`` have ``reshard_after_forward=False``. Without ``sync``, gradients are not reduced.
    """
    raise NotImplementedError
