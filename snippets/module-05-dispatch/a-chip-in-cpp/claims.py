"""What this article says of all operators on lists, and of all functions of the guard, counted."""

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


def guard() -> dict[str, str]:
    """The virtual functions of the device guard's interface, each with its body."""
    include = Path(torch.__file__).parent / "include" / "c10" / "core" / "impl"
    text = (include / "DeviceGuardImplInterface.h").read_text(encoding="utf-8")
    text = text[text.index("struct C10_API DeviceGuardImplInterface {") :]
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text[: text.index("virtual ~")], flags=re.DOTALL)
    parts = [part.strip() for part in text.split("virtual ")[1:]]
    return {re.search(r"(\w+)\(", part)[1]: part[part.index("(") :] for part in parts}


@counted(guard, planted="(Device) const { return 0; }", minimum=20)
def guard_function_is_required(rest: str) -> bool:
    """A function of the guard is pure virtual."""
    return "= 0;" in rest


def guard_defaults() -> dict[str, str]:
    """The functions of the guard that have a default."""
    return {name: rest for name, rest in guard().items() if "= 0;" not in rest}


@counted(guard_defaults, planted="() const noexcept {}", minimum=12)
def forgotten_guard_function_raises(rest: str) -> bool:
    """A function of the guard that is not pure virtual raises an error until it is written."""
    return "TORCH_CHECK(" in rest
