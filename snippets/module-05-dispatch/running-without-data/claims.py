"""What this article says of the shape functions of structured operators, counted."""

from pathlib import Path

import torch
from inside_torch.claims import counted


def shape_functions() -> dict[str, str]:
    """The generated headers that declare a shape function, by the operator's name, each with its text."""
    headers = (Path(torch.__file__).parent / "include" / "ATen" / "ops").glob("*_meta.h")
    texts = {header.name.removesuffix("_meta.h"): header.read_text(encoding="utf-8") for header in headers}
    return {name: text for name, text in texts.items() if "struct TORCH_API structured_" in text}


@counted(shape_functions, planted="meta_return_ty meta(const at::Tensor & self);", minimum=200)
def shape_function_returns_nothing(text: str) -> bool:
    """The shape function of a structured operator returns nothing."""
    return "meta_return_ty meta(" not in text and "void meta(" in text
