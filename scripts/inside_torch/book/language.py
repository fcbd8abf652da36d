"""The languages of the book as data, and what a translation says of its original."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from inside_torch.errors import BookError
from inside_torch.files import write_whole


@dataclass(frozen=True)
class Language:
    """One language of the book. Paths are relative to the root of the repository."""

    code: str
    name: str  # in the language itself
    docs: Path  # the folder of its pages
    config: Path  # the MkDocs file that builds it


ENGLISH = Language("en", "English", Path("docs/en"), Path("mkdocs.yml"))
CHINESE = Language("zh", "简体中文", Path("docs/zh"), Path("docs/mkdocs.zh.yml"))

#: English, the language of the originals, comes first.
LANGUAGES = (ENGLISH, CHINESE)
CODES = tuple(language.code for language in LANGUAGES)


def digest_of(file: Path) -> str:
    """What ``translated_from`` holds: sha256 of the English file, its first 16 hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


def split_front(text: str) -> tuple[str, str]:
    """The YAML of a page's front matter (empty where there is none), and the rest of the page."""
    lines = text.split("\n")
    if lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], start=1):
            if line.rstrip() in ("---", "..."):
                return "".join(f"{one}\n" for one in lines[1:number]), "\n".join(lines[number + 1 :])
    return "", text


def mark_translated(root: Path, file: Path) -> str:
    """Set ``translated_from`` to the digest of the English page as it is now, and drop ``behind``.

    Returns the digest. Raises :class:`BookError` where the file is no translation or has no original.
    """
    file = file.resolve()
    languages = [language for language in LANGUAGES if language != ENGLISH]
    folder = next((one.docs for one in languages if file.is_relative_to((root / one.docs).resolve())), None)
    if folder is None or not file.is_file():
        places = ", ".join(f"{language.docs}/" for language in languages)
        raise BookError("translation", f"{file} is no translation", f"a page below {places}")
    original = root / ENGLISH.docs / file.relative_to((root / folder).resolve())
    if not original.is_file():
        raise BookError(
            "translation-original",
            "no English page of this place",
            str(original.relative_to(root)),
            file=file,
        )
    front, rest = split_front(file.read_text(encoding="utf-8"))
    digest = digest_of(original)
    kept = [line for line in front.splitlines() if not line.startswith(("translated_from:", "behind:"))]
    write_whole(file, "\n".join(["---", *kept, f"translated_from: {digest}", "---", rest]))
    return digest


def mark_behind(root: Path) -> list[Path]:
    """Note ``behind: true`` in each translation whose original has changed since; the files written."""
    marked = []
    for language in LANGUAGES[1:]:
        for file in sorted((root / language.docs).rglob("*.md")):
            original = root / ENGLISH.docs / file.relative_to(root / language.docs)
            front, rest = split_front(file.read_text(encoding="utf-8"))
            lines = front.splitlines()
            made_from = next((line.split()[1] for line in lines if line.startswith("translated_from:")), "")
            known = any(line.startswith("behind:") for line in lines)
            if original.is_file() and not known and made_from != digest_of(original):
                write_whole(file, "\n".join(["---", *lines, "behind: true", "---", rest]))
                marked.append(file)
    return marked
