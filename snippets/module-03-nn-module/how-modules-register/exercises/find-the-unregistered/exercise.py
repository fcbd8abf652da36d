"""Find the parameters that a module holds and does not know of.

They hang in plain attributes: a list, a tuple, a dict or a mixture of these, of parameters or of modules.
"""

from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    """The paths of the parameters below `module` that `module.parameters()` does not yield, in the order of the attributes.

    A path is written as one would write it in Python behind `module.`: `heads[0].weight`, `table['a'].bias`. Look at the plain
    attributes of the module, at those of its registered children, and of the modules that you find in containers. A parameter
    that is registered somewhere below `module` is no find, wherever else it hangs. Each parameter is named once. A
    module may hang, by a plain attribute, below itself.
    """
    raise NotImplementedError
