"""A book of three pages, for tests that break it."""

from __future__ import annotations

from pathlib import Path

import yaml
from inside_torch.pins.release import COMMIT, RELEASE

ROOT = Path(__file__).parents[2]
ARTICLE = "docs/en/module-01-sums/add.md"


class _Loader(yaml.SafeLoader):
    """Keeps the tags that MkDocs reads."""


class _Env(list):
    """The sequence of an ``!ENV`` tag."""


_Loader.add_constructor("!ENV", lambda loader, node: _Env(loader.construct_sequence(node)))
yaml.SafeDumper.add_representer(_Env, lambda dumper, node: dumper.represent_sequence("!ENV", node))


def small_book(root: Path) -> Path:
    """Our configuration and theme around three pages of ``root``, one of them an article."""
    pages = {
        "docs/en/index.md": "---\ntitle: Sums\ntemplate: home.html\n---\n\n"
        "# Sums {#sums}\n\n[[probes]] probes.\n",
        "docs/en/notice.md": "---\ntitle: Notice\ntemplate: notice.html\n---\n\n# Notice {#notice}\n",
        ARTICLE: "---\ntitle: Add\nquestion: What is a sum?\nrequires: []\nminutes: 5\nhardware: cpu\n---\n\n"
        "# Add {#add}\n\nOne and one.\n\n"
        "```mermaid\nflowchart TD\n  accTitle: A sum\n  accDescr: Two numbers.\n  A[one] --> B[two]\n```\n",
        "docs/zh/index.md": "---\ntitle: 求和\ntemplate: home.html\n---\n\n# 求和 {#sums}\n\n加法。\n",
        "pins.lock": f'{{"release": "{RELEASE}", "commit": "{COMMIT}", "pins": {{}}}}\n',
    }
    for name, text in pages.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    for name in ("mkdocs.yml", "docs/mkdocs.zh.yml"):
        config = yaml.load((ROOT / name).read_text("utf-8"), _Loader)
        config["nav"] = ["index.md", "module-01-sums/add.md", "notice.md"]
        (root / name).write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), "utf-8")
    (root / "docs" / "theme").symlink_to(ROOT / "docs" / "theme")
    (root / "scripts").mkdir()
    (root / "scripts" / "npm").symlink_to(ROOT / "scripts" / "npm")
    return root


def edit(root: Path, name: str, old: str, new: str) -> None:
    """Replace a text that is there once."""
    text = (root / name).read_text("utf-8")
    assert text.count(old) == 1
    (root / name).write_text(text.replace(old, new), "utf-8")
