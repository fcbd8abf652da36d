"""What this article says of all generated nodes, counted."""

import re
from pathlib import Path

import torch
from inside_torch.claims import counted


def nodes_that_save_tensors() -> dict[str, str]:
    """The generated nodes with a field for a saved tensor, or a list of them, and the text of each."""
    folder = Path(torch.__file__).parent / "include" / "torch" / "csrc" / "autograd" / "generated"
    text = (folder / "Functions.h").read_text(encoding="utf-8")
    found = dict(re.findall(r"struct TORCH_API (\w+) : public \w+ \{(.*?)\n\};", text, re.DOTALL))
    return {name: body for name, body in found.items() if re.search(r"SavedVariable>? ", body)}


@counted(nodes_that_save_tensors, planted="SavedVariable self_;", minimum=300)
def release_holds_the_mutex(body: str) -> bool:
    """A generated node that saves a tensor holds its mutex while it releases it."""
    return "std::lock_guard<std::mutex> lock(mutex_);" in body
