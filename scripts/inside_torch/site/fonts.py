"""The faces of the pages, cut out of fonts from npm, so that a page is laid out alike on every system.

Chinese has no face of its own here: its fonts are millions of bytes, and every system that reads it has one.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from inside_torch.errors import BookError

#: Their folder in the site.
FOLDER = "assets/fonts"
# A font that was changed, as by leaving characters out, may not be called by the name of the whole.
_FAMILY = "Inside Torch"
_NAMED = {1, 3, 4, 6, 16, 25}
_RIGHTS = {0, 7, 13, 14}
_WEIGHTS = (400, 400, 700)
_FEATURES = ["ccmp", "kern", "liga", "locl", "mark", "mkmk", "tnum"]


@dataclass(frozen=True)
class Face:
    """One file of the site: ``name`` without its ending, ``source`` from ``node_modules`` on."""

    name: str
    source: str


FACES = (
    Face("text", "source-sans/VF/SourceSans3VF-Upright.ttf"),
    Face("text-italic", "source-sans/VF/SourceSans3VF-Italic.ttf"),
    Face("code", "source-code-pro/VF/SourceCodeVF-Upright.ttf"),
    Face("title", "@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2"),
)

#: First and last of each run of characters that a face keeps, where its source has them.
RUNS = (
    (0x20, 0x7E),
    (0xA0, 0xFF),
    (0x391, 0x3C9),  # Greek
    (0x2010, 0x2033),  # dashes, quotation marks, the ellipsis
    (0x2070, 0x2094),  # superscripts and subscripts
    (0x2150, 0x215E),  # fractions
    (0x2190, 0x2195),  # arrows
    (0x2200, 0x22C5),  # mathematics
    (0x2500, 0x257F),  # lines of boxes
    (0x25A0, 0x25CF),  # squares, triangles, circles
    (0x2713, 0x2717),  # ticks and crosses
)


def ensure_fonts(root: Path, modules: Path) -> Path:
    """The folder of the faces, ``<name>.woff2`` each, made once for what the lock file of npm holds.

    ``modules`` is ``scripts/npm/node_modules``; raises :class:`BookError` where a package lacks its font.
    """
    lock = (root / "scripts" / "npm" / "package-lock.json").read_bytes()
    digest = hashlib.sha256(lock + Path(__file__).read_bytes()).hexdigest()[:16]
    folder = modules / ".cache" / f"inside-torch-fonts-{digest}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(exist_ok=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    for face in FACES:
        _write(
            modules / face.source,
            aside / f"{face.name}.woff2",
            f"{_FAMILY} {face.name.title().replace('-', ' ')}",
        )
    aside.chmod(0o755)
    try:
        aside.rename(folder)
    except OSError:  # made by another process in the meantime
        shutil.rmtree(aside)
    return folder


def characters() -> set[int]:
    """The code points that a face keeps, where its source has them."""
    return set(itertools.chain.from_iterable(range(first, last + 1) for first, last in RUNS))


def _write(source: Path, out: Path, family: str) -> None:
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    if not source.is_file():
        raise BookError("fonts", f"no {source}", "the package as the lock file of scripts/npm names it")
    font = TTFont(source, recalcTimestamp=False)
    font["fvar"].instances = []  # names of weights, which no page asks for
    options = Options(
        hinting=False,
        layout_features=_FEATURES,
        name_IDs=[*_NAMED, *_RIGHTS],
        notdef_outline=True,
    )
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters())
    subsetter.subset(font)
    font = instantiateVariableFont(font, {"wght": _WEIGHTS})
    for record in font["name"].names:
        if record.nameID in _NAMED:
            record.string = family.replace(" ", "") if record.nameID in (6, 25) else family
    font.flavor = "woff2"
    font.save(out)
