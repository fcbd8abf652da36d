"""Which ways of capturing a function are safe for it? Find out by trying, not by reading."""

WAYS = ("trace", "script", "fx", "export", "compile")


def verdicts(function, example, others):
    """What each way makes of a function.

    `function` takes tensors and returns one; `example` is the tuple of arguments on which it is captured;
    `others` is a list of further tuples. Returns a mapping from each name of `WAYS` to

    - "refuses" if capturing raises, or running the result on the example does;
    - "differs" if a result, on the example or on one of the others, is not eager's, in value, shape or dtype,
      or if a call with one of the others raises;
    - "same" otherwise.

    "compile" means one graph for the whole function: a graph break is a refusal. The arguments that you are
    given must be left as they are, and one verdict must not depend on an earlier one.
    """
    raise NotImplementedError
