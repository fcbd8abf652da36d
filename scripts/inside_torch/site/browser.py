"""The browser that the site is measured and tested in."""

from __future__ import annotations

import shutil

#: Names under which Chromium is installed, the preferred one first: the shell has no window to draw, and
#: a page takes about half of the processor's time in it.
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)


def find_browser() -> str | None:
    """The path of the first of :data:`BROWSERS` that there is; None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
