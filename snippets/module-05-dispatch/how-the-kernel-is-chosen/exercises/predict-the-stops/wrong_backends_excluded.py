"""Takes the excluded keys away bit by bit, and the backend with them, which other keys need."""

import solution
import torch
from solution import *  # noqa: F403
from solution import not_fallthrough


def effective(operator, arguments):
    keys = torch._C._dispatch_tls_local_include_set().raw_repr()
    for argument in arguments:
        for item in argument if isinstance(argument, list) else [argument]:
            if isinstance(item, torch.Tensor):
                keys |= torch._C._dispatch_keys(item).raw_repr()
    return keys & ~torch._C._dispatch_tls_local_exclude_set().raw_repr() & not_fallthrough(operator)


solution.effective = effective
