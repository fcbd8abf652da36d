"""What this article says of the classes of exception, counted."""

import re
from pathlib import Path

import torch
from inside_torch.claims import counted

INCLUDE = Path(torch.__file__).parent / "include"


def error_classes() -> list[str]:
    """The classes of `Exception.h` that are derived from `c10::Error`, at one remove or two."""
    text = (INCLUDE / "c10/util/Exception.h").read_text()
    return re.findall(r"^class C10_API (\w+) : public \w*Error\b", text, re.MULTILINE)


@counted(error_classes, planted="EnforceFiniteError", minimum=10)
def error_has_case(name: str) -> bool:
    """A class of error that is derived from `c10::Error` has a case of its own in `CATCH_CORE_ERRORS`."""
    text = (INCLUDE / "torch/csrc/Exceptions.h").read_text()
    cases = re.search(r"#define CATCH_CORE_ERRORS.*?\n\n", text, re.DOTALL)[0]
    return re.search(rf"(_CATCH_GENERIC_ERROR\(\s*\\?\s*|catch \(c10::){name}\b", cases) is not None
