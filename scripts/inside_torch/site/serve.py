"""Serves the book while it is written: builds, watches, builds again what an edit touches."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import watchdog.events
from watchdog.observers import Observer

from inside_torch.errors import BookError
from inside_torch.site.npm import ensure_npm
from inside_torch.site.publish import write_landing_pages
from inside_torch.site.server import SiteServer
from inside_torch.site.worker import Workers

if TYPE_CHECKING:
    from inside_torch.site.build import Report

#: Styles and scripts of the site, which MkDocs copies as they are.
ASSETS = "docs/theme/assets"
#: Seconds without a further event after which an edit counts as finished: an editor writes a file in steps.
QUIET = 0.05


class _Watch(watchdog.events.FileSystemEventHandler):
    """Puts the path of each file that changed into a queue."""

    def __init__(self, found: queue.Queue[Path]) -> None:
        self.found = found

    def on_any_event(self, event: watchdog.events.FileSystemEvent) -> None:
        if event.is_directory or event.event_type in ("opened", "closed_no_write"):
            return
        for name in filter(None, map(os.fsdecode, (event.src_path, event.dest_path))):
            path = Path(name)
            hidden = path.name.startswith((".", "#")) or path.name.endswith(("~", ".swp", ".pyc", ".tmp"))
            # A name with no suffix is what an editor writes first and then renames onto the page.
            if not hidden and path.suffix and "__pycache__" not in path.parts:
                self.found.put(path)


class LiveSite:
    """The book as it is being written: one folder a whole build, and the server that shows the last."""

    def __init__(self, root: Path, port: int, languages: tuple[str, ...], say: Callable[[str], None]) -> None:
        self.root, self.languages, self.say = root, languages, say
        self.folder = root / ".build" / "serve"
        self.generation = 0
        self.workers: Workers | None = None
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "0").mkdir(parents=True)
        self.server = SiteServer(self.folder / "0", port, live=True)

    def build(self) -> None:
        """Build everything on fresh code and show it; the old site stays until there is a new one."""
        if self.workers:
            self.workers.close()
        self.generation += 1
        out = self.folder / str(self.generation)
        out.mkdir(parents=True)
        self.workers = Workers(self.root, self.languages, self.folder / "pages", out, self.server.url)
        try:
            reports = self.workers.ask(None)
        except BookError as error:
            self.say(str(error))
            self.server.publish(fault=str(error))
            return
        fault = self._report(reports)
        if not all(report.pages for report in reports.values()):
            self.server.publish(fault=fault)
            return
        write_landing_pages(out)
        old = self.server.root
        self.server.publish(out, fault)
        shutil.rmtree(old, ignore_errors=True)

    def refresh(self, changed: set[Path]) -> None:
        """Bring the site up to date with the files ``changed``."""
        ours = [path for path in changed if path.suffix == ".py" and self._under(path, "scripts")]
        if any(self._under(path, "scripts/inside_torch/site", "scripts/inside_torch/cli") for path in ours):
            self.say("the server's own code changed: starting again")
            self.close()
            os.execv(sys.executable, [sys.executable, "-m", "inside_torch.cli", *sys.argv[1:]])
        assets = {path for path in changed if self._under(path, ASSETS) and path.is_file()}
        pages = {path for path in changed if self._is_page(path) or self._under(path, "snippets")}
        if pages | assets != changed or self.server.root.name != str(self.generation):
            self.build()
            return
        for path in assets:
            self._copy(path)
        if assets and not pages:
            self.server.publish(fault=self.server.fault)
            return
        assert self.workers is not None  # a build came first
        try:
            reports = self.workers.ask(sorted(pages))
        except BookError:  # a builder ended: fresh ones
            self.build()
            return
        if not all(report.whole for report in reports.values()):
            self.build()
            return
        fault = self._report(reports)
        if fault or assets or self.server.fault or any(report.pages for report in reports.values()):
            self.server.publish(fault=fault)

    def close(self) -> None:
        if self.workers:
            self.workers.close()
        self.server.close()

    def _under(self, path: Path, *folders: str) -> bool:
        return any(path.is_relative_to(self.root / folder) for folder in folders)

    def _copy(self, asset: Path) -> None:
        """Put an asset in its place in each language's site."""
        name = asset.relative_to(self.root / ASSETS)
        for language in self.languages:
            place = self.server.root / language / "assets" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(asset, place)
        self.say(f"assets/{name}")

    def _is_page(self, path: Path) -> bool:
        return path.suffix == ".md" and self._under(path, "docs/en", "docs/zh")

    def _report(self, reports: dict[str, Report]) -> str:
        """Say what was built and what is wrong; the latter is returned."""
        # A page with no translation says the same in both languages: once is enough.
        errors = list(dict.fromkeys(line for one in reports.values() for line in one.errors))
        for line in dict.fromkeys(
            errors + [line for one in reports.values() for line in one.warnings + one.notes]
        ):
            self.say(line)
        for name, report in reports.items():
            pages = ", ".join(report.pages) if len(report.pages) <= 3 else f"{len(report.pages)} pages"
            if pages:
                self.say(f"{name}: {pages} in {report.seconds:.2f} s")
        return "\n\n".join(errors)


def serve(root: Path, port: int, languages: tuple[str, ...], say: Callable[[str], None]) -> None:
    """Serve the book at ``port`` until interrupted."""
    # Being ended by another program is like Ctrl+C: the builders end too, and the port is free again.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ensure_npm(root)
    found: queue.Queue[Path] = queue.Queue()
    observer = Observer()
    watch = _Watch(found)
    for name in ("docs", "snippets", "scripts/inside_torch"):
        if (root / name).is_dir():
            observer.schedule(watch, str(root / name), recursive=True)
    observer.schedule(watch, str(root), recursive=False)
    live = LiveSite(root, port, languages, say)
    observer.start()
    try:
        say("building the site")
        live.build()
        live.server.start()
        say(f"serving at {live.server.url}  (Ctrl+C ends it)")
        watched = {root / "pins.lock", root / "mkdocs.yml"}
        while True:
            changed = {found.get()}
            try:
                while True:
                    changed.add(found.get(timeout=QUIET))
            except queue.Empty:
                pass
            changed = {path for path in changed if path.parent != root or path in watched}
            if changed:
                names = sorted(str(path.relative_to(root)) for path in changed)
                say(f"edited: {', '.join(names[:3])}{' …' if len(names) > 3 else ''}")
                live.refresh(changed)
    except KeyboardInterrupt:
        say("ended")
    finally:
        observer.stop()
        live.close()
