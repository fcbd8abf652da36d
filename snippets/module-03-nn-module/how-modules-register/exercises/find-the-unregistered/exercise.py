"""Find the parameters that a module holds and does not know of.

They hang in plain attributes: a list, a tuple, a dict or a mixture of these, of parameters or of modules.
"""

from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    """The paths of the parameters below `module` that `module.parameters()` does not yield.

    A path is what one would write in Python behind `module.`: `heads[0].weight`, `table['a'].bias`. A
    registered child keeps its name: `0.gates[0]`. Of each module, its plain attributes come first, then
    what it has registered, and modules that hang in containers are gone through like the others. A
    parameter that is registered somewhere below `module` is no find, wherever else it hangs. Each is named
    once. A module may hang below itself.
    """
    raise NotImplementedError
