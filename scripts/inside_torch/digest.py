"""The digest that a recorded file carries over all that stands in it, so that an edited one is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def digest_of(data: object) -> str:
    """sha256 of what JSON can hold, however it is laid out, its first 16 hexadecimal digits."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """What is written to a file: the data, and last the digest of all of it."""
    return {**data, "digest": digest_of(data)}


def unsealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """What was given to :func:`sealed`; raises :class:`ValueError` where it is not that any more."""
    rest = {key: value for key, value in data.items() if key != "digest"}
    if "digest" not in data:
        raise ValueError("no digest of what stands in it")
    if data["digest"] != digest_of(rest):
        raise ValueError("it is not what was recorded: its digest is of something else")
    return rest
