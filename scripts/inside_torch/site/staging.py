"""The folder that the Chinese site is built from."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import yaml

from inside_torch.book.fences import split
from inside_torch.book.front_matter import front_and_body
from inside_torch.book.language import CHINESE, ENGLISH, digest_of
from inside_torch.errors import BookError
from inside_torch.files import write_whole

_MISSING = """\
!!! note "本页尚无中文版"
    以下为英文原文。已译成中文的文章：{translated}。
"""
_BEHIND = """\
!!! warning "本页译文落后于英文原文"
    翻译之后，英文原文已有改动；以<a href="{english}" hreflang="en">英文版</a>为准。
"""

#: What a page has no need to say again in its translation.
_SHARED = ("requires", "minutes", "hardware", "template", "hide", "search")


def stage_chinese(root: Path, out: Path) -> Path:
    """Fill ``out`` with what the Chinese site is built from, and return it.

    Each page of ``docs/zh``, and for each page that is not there the English one with a note; a page whose
    original has changed since says so. The front matter gains ``source``, the true file below ``docs/``, for
    the link to edit it. Files that are the same already are not touched, so that a server sees only what
    changed; files that belong to no page any more are removed.
    """
    english, chinese = root / ENGLISH.docs, root / CHINESE.docs
    places = {file.relative_to(english) for file in english.rglob("*") if file.is_file()}
    places |= {file.relative_to(chinese) for file in chinese.rglob("*") if file.is_file()}
    for place in sorted(places):
        source = chinese / place if (chinese / place).is_file() else english / place
        target = out / place
        if place.suffix != ".md":
            if not target.is_file() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
            continue
        text = _staged(root, place, source)
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            write_whole(target, text)
    for file in sorted(out.rglob("*"), reverse=True):
        if file.is_dir():
            if not any(file.iterdir()):
                file.rmdir()
        elif file.relative_to(out) not in places:
            file.unlink()
    return out


def _staged(root: Path, place: Path, source: Path) -> str:
    """The text of one page as the Chinese site shows it."""
    original = root / ENGLISH.docs / place
    front, body = front_and_body(source.read_text(encoding="utf-8"))
    if not source.is_relative_to(root / CHINESE.docs):
        note = _MISSING.format(translated="、".join(_translated(root, place)) or "还没有")
    elif original.is_file():
        shared = front_and_body(original.read_text(encoding="utf-8"))[0]
        front |= {key: shared[key] for key in _SHARED if key in shared and key not in front}
        up_to_date = front.pop("translated_from", None) == digest_of(original)
        front.pop("behind", None)
        note = "" if up_to_date else _BEHIND.format(english=_address(place))
    else:
        note = ""
    front["source"] = source.relative_to(root / "docs").as_posix()
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False)
    return f"---\n{head}---\n{_with_note(body, note) if note else body}"


def _translated(root: Path, place: Path) -> Iterator[str]:
    """A link to each article that is translated, for the page at ``place``."""
    for file in sorted((root / CHINESE.docs).glob("module-*/*.md")):
        if file.stem != "index":
            title = front_and_body(file.read_text(encoding="utf-8"))[0].get("title", file.stem)
            path = file.relative_to(root / CHINESE.docs).as_posix()
            yield f"[{title}]({'../' * (len(place.parts) - 1)}{path})"


def _with_note(body: str, note: str) -> str:
    """The note below the page's title, or before everything else where the page begins with no title."""
    lines = body.split("\n")
    try:
        prose = split(body)[1].split("\n")
    except BookError:
        prose = lines
    first = next((number for number, line in enumerate(prose) if line.strip()), 0)
    at = first + 1 if prose[first].startswith("# ") else 0
    return "\n".join([*lines[:at], "", *note.split("\n"), *lines[at:]])


def _address(place: Path) -> str:
    """Where the English page lies, as seen from the Chinese one: a path, whatever the host."""
    parts = list(place.with_suffix("").parts)
    if parts[-1] == "index":
        parts.pop()
    return "../" * (len(parts) + 1) + "/".join(["en", *parts, ""])
