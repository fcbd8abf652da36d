"""The whole site, both languages, built aside and put in place at once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from inside_torch.book.language import CODES
from inside_torch.errors import BookError
from inside_torch.site.fonts import ensure_fonts
from inside_torch.site.npm import ensure_npm
from inside_torch.site.policy import with_policy
from inside_torch.site.worker import Workers

if TYPE_CHECKING:
    from inside_torch.site.build import Report

DOOR = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Inside Torch</title>
<link rel="canonical" href="en/">
<script>location.replace((/^zh/i.test(navigator.language) ? "zh/" : "en/") + location.hash)</script>
<noscript><meta http-equiv="refresh" content="0; url=en/"></noscript>
<p><a href="en/" hreflang="en">English</a> · <a href="zh/" hreflang="zh" lang="zh">简体中文</a></p>
</html>
"""


def site_url(root: Path) -> str:
    """Where the site will be served: ``INSIDE_TORCH_SITE_URL``, or what mkdocs.yml says in its place."""
    if given := os.environ.get("INSIDE_TORCH_SITE_URL"):
        return given

    class Loader(yaml.SafeLoader):
        """Reads mkdocs.yml with its ``!ENV`` lists as they stand."""

    def listed(loader: yaml.SafeLoader, node: yaml.Node) -> list[Any]:
        assert isinstance(node, yaml.SequenceNode)  # mkdocs.yml has no other
        return loader.construct_sequence(node)

    Loader.add_constructor("!ENV", listed)
    return yaml.load((root / "mkdocs.yml").read_text("utf-8"), Loader)["site_url"][-1]


def write_landing_pages(out: Path) -> None:
    """The page that leads to a language, and the 404 page of a host that knows only one."""
    (out / "index.html").write_text(with_policy(DOOR), "utf-8")
    (out / ".nojekyll").touch()
    for language in CODES:
        if (page := out / language / "404.html").exists():
            shutil.copyfile(page, out / "404.html")
            break


def build_site(
    root: Path, out: Path, strict: bool, languages: tuple[str, ...] = CODES, url: str | None = None
) -> dict[str, Report]:
    """Build ``languages`` into ``out``, which is replaced only by a site that is whole.

    Returns language to :class:`~inside_torch.site.build.Report`; raises :class:`BookError` with every error
    found, and with every warning where ``strict``.
    """
    ensure_fonts(root, ensure_npm(root))  # once, before each language asks for them
    aside = out.with_name(out.name + ".new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    with Workers(
        root, languages, out.with_name(out.name + ".pages"), aside, url or site_url(root)
    ) as workers:
        reports = workers.ask(None)
    # A page with no translation says the same twice. What leads to a faulty page warns for nothing.
    wrong = dict.fromkeys(line for report in reports.values() for line in report.errors)
    if strict and not wrong:
        wrong = dict.fromkeys(line for report in reports.values() for line in report.warnings)
    if wrong:
        shutil.rmtree(aside)
        raise BookError("build", f"{len(wrong)} faults\n  " + "\n  ".join(wrong), "a build with no warning")
    write_landing_pages(aside)
    old = out.with_name(out.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    aside.rename(out)
    shutil.rmtree(old, ignore_errors=True)
    return reports
