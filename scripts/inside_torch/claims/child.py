"""Counts the claims of one file, in a process of its own.

``python -m inside_torch.claims.child <claims.py> <results.jsonl> [<claim> …]``: torch's version is written,
then for each claim a line of JSON as soon as it is known, so that a process that is ended has told what it
did.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from typing import Any

from inside_torch.claims.counted import Counted

SEED = 0


def load(file: Path) -> dict[str, Counted]:
    """The claims of a file, by id, in its order."""
    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location(file.stem, file.resolve())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return {
        name.replace("_", "-"): value
        for name, value in vars(module).items()
        if isinstance(value, Counted) and value.judge.__module__ == module.__name__
    }


def leave_guards_unmeasured() -> None:
    """TorchDynamo, once it is imported, measures each new tree of guards after it has emptied the processor's
    cache, which is more than half of a small compilation. Nothing in the book asks for that number.
    """
    if guards := sys.modules.get("torch._dynamo.guards"):
        guards.profile_guard_manager = lambda *_: 0.0  # type: ignore[attr-defined]


def count(claim: Counted) -> dict[str, Any]:
    """What a claim says of each member, and of its counterexample.

    ``names`` and ``exceptions``; ``planted`` is whether the counterexample is refused; ``error`` where the
    claim itself failed.
    """
    import torch

    found: dict[str, Any] = {}
    at = "its population"
    try:
        torch.manual_seed(SEED)
        members = claim.members()
        found = {"names": list(members), "exceptions": []}
        for at, member in members.items():
            if not claim(member):
                found["exceptions"].append(at)
        at = "the planted counterexample"
        found["planted"] = not claim(claim.counterexample())
    except Exception as error:
        last = traceback.format_exc(limit=-3)
        return {"error": f"{type(error).__name__} at {at}: {error}", "traceback": last}
    return found


def main() -> None:
    """Count, and write."""
    file, results, *wanted = sys.argv[1:]
    import torch

    with open(results, "w", encoding="utf-8") as stream:
        print(json.dumps({"torch": torch.__version__}), file=stream, flush=True)
        claims = load(Path(file))
        leave_guards_unmeasured()
        for name in wanted or claims:
            found = count(claims[name]) if name in claims else {"error": "no such claim", "traceback": ""}
            print(json.dumps({"claim": name} | found), file=stream, flush=True)


if __name__ == "__main__":
    main()
