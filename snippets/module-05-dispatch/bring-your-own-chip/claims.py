"""What this article says of all operators on lists and of all hooks, counted."""

import re
from pathlib import Path

import torch
from inside_torch.claims import counted, has_kernel, overloads

COMPOSITE = ("CompositeExplicitAutograd", "CompositeImplicitAutograd")


def on_lists() -> list[str]:
    """The operators on lists of tensors, `_foreach_*`."""
    return [name for name in overloads() if name.startswith("_foreach_")]


def fused_steps() -> list[str]:
    """The operators that make a step of an optimizer in one kernel."""
    return [name for name in overloads() if re.match(r"_fused_(sgd|adam|adamw|adagrad)_(\.|$)", name)]


def any_default(name: str) -> bool:
    """Whether an operator has a kernel that serves all backends."""
    return any(has_kernel(f"aten::{name}", key) for key in COMPOSITE)


@counted(on_lists, planted="_fused_sgd_", minimum=180)
def list_operator_has_a_default(name: str) -> bool:
    """An operator on a list of tensors has a kernel that serves all backends, by a loop."""
    return any_default(name)


@counted(fused_steps, planted="_foreach_add_.List", minimum=6)
def fused_step_has_no_default(name: str) -> bool:
    """A fused step has no kernel but those of the backends that wrote one."""
    return not any_default(name)


def hooks() -> dict[str, str]:
    """The functions of the hooks' base class for this backend, own or inherited, each with its body."""
    include = Path(torch.__file__).parent / "include" / "ATen" / "detail"
    found: dict[str, str] = {}
    for name in ("AcceleratorHooksInterface", "PrivateUse1HooksInterface"):
        text = (include / f"{name}.h").read_text(encoding="utf-8")
        text = text[text.index(f"struct TORCH_API {name}") :]
        heads = r"(\w+)\([^()]*\) const (?:override )?(?:= 0;|\{\}|\{(.*?)\n  \}$)"
        for match in re.finditer(heads, text, re.MULTILINE | re.DOTALL):
            found[match[1]] = match[2] or ""
    return found


@counted(hooks, planted="return 0;", minimum=12)
def forgotten_hook_raises(body: str) -> bool:
    """A function of the hooks that is not overridden raises an error."""
    return "FAIL_PRIVATEUSE1HOOKS_FUNC(" in body or "TORCH_CHECK(false" in body
