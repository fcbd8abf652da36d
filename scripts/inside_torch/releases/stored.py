"""What is kept of a comparison: the file ``docs/drift/<version>.json``, which holds no line of PyTorch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inside_torch.digest import digest_of, unsealed
from inside_torch.errors import BookError
from inside_torch.files import write_whole
from inside_torch.pins.release import RELEASE
from inside_torch.pins.resolve import Pin
from inside_torch.releases.drift import STATES, Drift

FOLDER = Path("docs", "drift")
_KEPT = ("first", "last", "added", "removed", "after", "home", "why")


@dataclass(frozen=True)
class Stored:
    """The pins of the book in another release, as they were when it was last compared.

    ``commit`` is the release's; ``libraries`` says whether its libraries were searched; ``drifts`` are by
    address.
    """

    version: str
    commit: str
    libraries: bool
    drifts: dict[str, Drift]

    @staticmethod
    def file(root: Path, version: str) -> Path:
        return root / FOLDER / f"{version}.json"

    def of(self, pin: Pin) -> Drift | None:
        """What became of a pin; None where it was not compared, or was another text when it was."""
        drift = self.drifts.get(str(pin.address))
        return drift if drift is not None and drift.digest == pin.digest else None

    @classmethod
    def load(cls, root: Path, version: str) -> Stored:
        """Reads the file; raises :class:`BookError` where there is none, or it is not one of ours."""
        file = cls.file(root, version)
        form = f"`inside-torch drift {version} --write` writes it"
        try:
            data = unsealed(json.loads(file.read_text(encoding="utf-8")))
            if (data["release"], data["against"]) != (version, RELEASE):
                raise ValueError(f"{data['release']} against {data['against']}")
            drifts = {address: _drift(address, record) for address, record in data["pins"].items()}
            if not isinstance(data["libraries"], bool) or not re.fullmatch(r"[0-9a-f]{40}", data["commit"]):
                raise ValueError("no commit, or no word about libraries")
            return cls(version, data["commit"], data["libraries"], drifts)
        except OSError as error:
            raise BookError("drift-form", f"cannot be read: {error.strerror}", form, file=file) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BookError("drift-form", f"no comparison: {error}", form, file=file) from None

    def save(self, root: Path) -> Path:
        """Writes the file whole, and says where."""
        file = self.file(root, self.version)
        head = {
            "release": self.version,
            "commit": self.commit,
            "against": RELEASE,
            "libraries": self.libraries,
        }
        pins = {address: _record(drift) for address, drift in sorted(self.drifts.items())}
        head["digest"] = digest_of({**head, "pins": pins})
        lines = [
            f"{json.dumps(address, ensure_ascii=False)}: {json.dumps(record, ensure_ascii=False)}"
            for address, record in pins.items()
        ]
        text = json.dumps(head)[:-1] + ', "pins": {\n' + ",\n".join(lines) + "\n}}\n"
        write_whole(file, text)
        return file


def stored(root: Path, now: Stored | None = None) -> list[Stored]:
    """Every comparison that the book keeps, oldest release first; ``now`` in the place of its release's."""
    new = {now.version: now} if now else {}
    versions = {file.stem for file in (root / FOLDER).glob("*.json")} | set(new)
    return [new.get(version) or Stored.load(root, version) for version in sorted(versions, key=order)]


def order(version: str) -> tuple[int, ...]:
    """By which versions are sorted: 2.9.0 before 2.13.0."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def of_drifts(version: str, commit: str, libraries: bool, drifts: Iterable[Drift]) -> Stored:
    """What is kept of these."""
    return Stored(version, commit, libraries, {drift.address: drift for drift in drifts})


def _record(drift: Drift) -> dict[str, Any]:
    kept = {name: value for name in _KEPT if (value := getattr(drift, name))}
    return {"state": drift.state, "digest": drift.digest, **kept}


def _drift(address: str, record: dict[str, Any]) -> Drift:
    if record["state"] not in STATES:
        raise ValueError(f"state {record['state']!r} of {address}")
    unknown = set(record) - {"state", "digest", *_KEPT}
    if unknown:
        raise ValueError(f"{', '.join(sorted(unknown))} of {address}")
    values = {name: record[name] for name in _KEPT if name in record}
    if "home" in values:
        values["home"] = tuple(values["home"])
    return Drift(address, record["state"], record["digest"], **values)
