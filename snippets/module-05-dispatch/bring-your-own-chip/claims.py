"""What this article says of all hooks, counted."""

import re
from pathlib import Path

import torch
from inside_torch.claims import counted, dispatch_table, native_functions


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


BY_HAND = {"_fw_primal", "_make_dual", "copy_", "detach", "detach_", "resize_", "resize_as_"}


def native_operators() -> list[str]:
    """The operators of `native_functions.yaml`."""
    return list(native_functions())


@counted(native_operators, planted="quantized_lstm.input", minimum=2000)
def native_slot_is_no_fallback(name: str) -> bool:
    """AutogradPrivateUse1 has an autograd kernel (generated, but for seven) or a composite one."""
    slot = dispatch_table(f"aten::{name}").get("AutogradPrivateUse1", "")
    file = "VariableTypeManual." if name in BY_HAND else "VariableType_"
    return (slot.startswith(file) and slot.endswith("[autograd kernel]")) or slot.endswith("[math kernel]")
