"""Compute a dispatch table by hand.

`entry(key, registered, fallbacks)` must return what the dispatcher would put in the slot of `key`, for an
operator with these registrations.
"""

import torch

DispatchKey = torch._C.DispatchKey

FALLBACK = "fallback"


def included(key: str, alias: str) -> bool:
    """Whether the alias stands for this runtime key, among others. Never true of Undefined."""
    return torch._C._dispatch_is_included_in_alias(key, alias)


def backends(autograd_key: str) -> set[str]:
    """The backend keys that an autograd key serves; empty for a key that is not one of autograd's."""
    served = torch._C._dispatch_get_backend_keyset_from_autograd(DispatchKey.__members__[autograd_key])
    return set(torch._C._dispatch_keyset_to_string(served)[len("DispatchKeySet(") : -1].split(", ")) - {""}


def entry(key: str, registered: set[str], fallbacks: set[str]) -> tuple[str, str] | None:
    """The key whose registration fills the slot, and the name of the rule; None where the slot stays empty.

    `registered` holds runtime keys and alias keys of one operator, `fallbacks` runtime keys. The rules are
    named as in the dispatcher's own dump: "kernel", "default backend kernel", "math kernel", "nested kernel",
    "autograd kernel", "batched kernel", "ambiguous autogradother" and "backend fallback". A fallback
    has no key of the operator's: return FALLBACK in its place, and "AutogradOther" for an ambiguity.
    """
    if key in registered:
        return key, "kernel"

    def applies(alias: str, also_undefined: bool) -> bool:
        return alias in registered and (included(key, alias) or (also_undefined and key == "Undefined"))

    for alias in ("CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd"):
        if applies(alias, also_undefined=True):
            return alias, "default backend kernel"

    if applies("CompositeImplicitAutogradNestedTensor", also_undefined=False):
        return "CompositeImplicitAutogradNestedTensor", "nested kernel"

    if applies("CompositeImplicitAutograd", also_undefined=True):
        has_backend_kernel = bool(backends(key) & registered)
        if key == "AutogradOther" and has_backend_kernel:
            return key, "ambiguous autogradother"
        if not has_backend_kernel and "CompositeExplicitAutograd" not in registered:
            return "CompositeImplicitAutograd", "math kernel"

    for alias, rule in (
        ("Autograd", "autograd kernel"),
        ("FuncTorchBatchedDecomposition", "batched kernel"),
    ):
        if applies(alias, also_undefined=False):
            return alias, rule
    return (FALLBACK, "backend fallback") if key in fallbacks else None
