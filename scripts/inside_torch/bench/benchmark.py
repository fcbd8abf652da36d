"""The benchmark of the machine itself: how fast the book is built, proven, rebuilt and drawn.

Figures that compare (this site against plain Material) are taken in turn within one run, since machines are
noisy; every figure is the median of its rounds.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from inside_torch.bench.figures import Figure
from inside_torch.book.fence_kinds import BookFence, ExcerptFence, ExerciseFence, ProgramFence, read
from inside_torch.book.fences import Fence, scan
from inside_torch.book.link_grammar import LINK, target
from inside_torch.book.regions import shown
from inside_torch.errors import BookError
from inside_torch.render.code import quoted
from inside_torch.render.pin_index import PinIndex
from inside_torch.site.fonts import FOLDER

#: The page that is edited and whose diagrams are timed.
ARTICLE = "module-02-autograd/running-backward"
PINS = 600


def measure(root: Path, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    """Take every figure; ``say`` is told each as it comes."""
    figures: list[Figure] = []

    def add(*new: Figure) -> None:
        figures.extend(new)
        for figure in new:
            say(
                f"{figure.name}: {figure.value:.2f} {figure.unit}{'' if figure.kept else '  (target missed)'}"
            )

    with tempfile.TemporaryDirectory(prefix="inside-torch-bench-") as folder:
        scratch = Path(folder)
        add(*building(root, scratch, rounds))
        add(*proving(root, scratch, rounds))
        add(*weighing(scratch / "ours"))
        add(editing(root, scratch, rounds))
        served = scratch / "served"
        served.mkdir()
        (served / "en").symlink_to(scratch / "ours")
        add(drawing(served, rounds))
    return figures


#: Where the section begins that the suite writes itself.
def _run(root: Path, script: str, *arguments: object) -> Any:
    """Run Python of ours in a fresh process and read the JSON that it prints last."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], cwd=root, capture_output=True, text=True
    )
    if done.returncode:
        raise BookError("bench", done.stderr[-2000:], "a run with no error")
    return json.loads(done.stdout.splitlines()[-1])


# -- the build --

_OURS = """
import json, sys, logging
from pathlib import Path
from inside_torch.site.build import LanguageSite
root, docs, out = map(Path, sys.argv[1:4])
report = LanguageSite(root, "en", docs, out, "http://127.0.0.1:8000/en/").build()
assert not report.errors, report.errors
print(json.dumps({"seconds": report.seconds}))
"""

_PLAIN = """
import json, sys, time, logging
from pathlib import Path
from mkdocs.commands.build import build
from mkdocs.config import load_config
root, docs, out = map(Path, sys.argv[1:4])
logging.getLogger("mkdocs").setLevel(logging.ERROR)
start = time.monotonic()
config = load_config(str(root / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(out),
                     site_url="http://127.0.0.1:8000/en/")
config.markdown_extensions.remove("inside_torch.render")
del config.mdx_configs["inside_torch.render"]
for events in config.plugins.events.values():
    events[:] = [each for each in events if getattr(each, "__self__", None) is not config.plugins["mermaid2"]]
del config.plugins["mermaid2"]
config.theme.dirs.pop(0)
config.theme["icon"].pop("logo")
build(config)
print(json.dumps({"seconds": time.monotonic() - start}))
"""


def building(root: Path, scratch: Path, rounds: int) -> list[Figure]:
    """Build time of the English site, against the same pages under plain Material."""
    plain = scratch / "plain-pages"
    write_plain_pages(root, plain)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(_run(root, _OURS, root, root / "docs/en", scratch / "ours")["seconds"])
        theirs.append(_run(root, _PLAIN, root, plain, scratch / "plain")["seconds"])
    ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
    pages = len(list((root / "docs/en").rglob("*.md")))
    return [
        Figure(f"build of the English site, {pages} pages", statistics.median(ours), "s"),
        Figure("the same over plain Material", ratio, "", 1.3),
    ]


def write_plain_pages(root: Path, out: Path) -> None:
    """The English pages as they would be written for plain Material: every fence resolved by hand."""
    sources = PinIndex(root)
    shutil.copytree(root / "docs/en", out)
    for page in out.rglob("*.md"):
        if page.parent.name == "contributing":
            continue
        text = re.sub(r"^template:.*\n", "", page.read_text("utf-8"), flags=re.MULTILINE)
        text = re.sub(r"\{\{[^{}\n]*\}\}", "1.00", text)
        for link in {
            link[0]: link for link in LINK.finditer(text) if target(link).startswith("src:")
        }.values():
            permalink = sources.look(target(link)).pin.permalink or "#"
            text = text.replace(link[0], f"[{link['text']}]({permalink})")
        lines = text.split("\n")
        for fence in reversed(scan(text)):
            lines[fence.line - 1 : fence.last_line] = _plain_fence(root, sources, fence)
        page.write_text("\n".join(lines), "utf-8")


def _plain_fence(root: Path, sources: PinIndex, fence: Fence) -> list[str]:
    if fence.language == "mermaid":
        return ["```mermaid", *(line for line in fence.body.split("\n") if "src:" not in line), "```"]
    if fence.language not in ("excerpt", "program", "output", "path", "exercise", "measurements"):
        return [f"```{fence.language}", *fence.body.split("\n"), "```"]
    block = read(fence)
    assert isinstance(block, BookFence)  # by its language
    notes = [line for note in block.annotations for line in ("", f"- {note.text}")]
    if isinstance(block, ExcerptFence):
        source = sources.look(block.subject)
        lines = [line.text for line in quoted(source.excerpt, block.shows).lines] if source.excerpt else []
        link = ["", f"[{source.address.path}]({source.pin.permalink})", ""]
        return [*link, f"~~~~ {{.cpp linenums={source.pin.first or 1}}}", *lines, "~~~~", *notes, ""]
    ending = {"output": ".out", "path": ".path.json", "measurements": ".results.json"}.get(block.kind, "")
    file = root / "snippets" / f"{block.subject.removesuffix('.py') if ending else block.subject}{ending}"
    if isinstance(block, ExerciseFence):
        file = file / "exercise.py"
    section = block.section.text if isinstance(block, ProgramFence) and block.section else ""
    lines = [line for _, line in shown(file, section)] if file.is_file() else []
    return ["~~~~ python", *lines, "~~~~", *notes, ""]


# -- the proof --


def proving(root: Path, scratch: Path, rounds: int) -> list[Figure]:
    """Locking and verifying of 600 pins, spread over the wheel, as whole processes."""
    from inside_torch.bench.sample_addresses import sample_addresses
    from inside_torch.pins.resolve import Evidence

    book = scratch / "pins"
    (book / "docs" / "en").mkdir(parents=True)
    links = "\n".join(f"- [x](<{address}>)" for address in sample_addresses(PINS, Evidence.here()))
    (book / "docs" / "en" / "page.md").write_text(links, "utf-8")
    locked = _process("lock", "--root", book)
    verified = [_process("verify", "--root", book) for _ in range(rounds)]
    return [
        Figure(f"lock of {PINS} pins, the whole process", locked[0], "s", 20),
        Figure(
            f"verification of {PINS} pins, the whole process",
            statistics.median(seconds for seconds, _ in verified),
            "s",
            2,
        ),
        Figure("peak memory of either", max(memory for _, memory in [locked, *verified]), "MB", 300),
    ]


def _process(*arguments: object) -> tuple[float, float]:
    """Run a verb of inside-torch; seconds and peak memory (MB) of its process."""
    start = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "inside_torch.cli", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None  # it is a pipe
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise BookError("bench", said[-2000:], "a run with no error")
    return time.monotonic() - start, usage.ru_maxrss / 1024


# -- the pages --


def weighing(site: Path) -> list[Figure]:
    """Size of the heaviest article and of our own scripts, gzipped, and of the fonts as they are."""
    articles = [page for page in site.glob("module-*/*/index.html")]
    heaviest = max(len(gzip.compress(page.read_bytes(), 6)) for page in articles) / 1000
    others = ("mermaid", "minisearch")  # which come by npm
    scripts = [script for script in (site / "assets").glob("*.js") if not script.name.startswith(others)]
    own = sum(len(gzip.compress(script.read_bytes(), 6)) for script in scripts) / 1000
    fonts = sum(font.stat().st_size for font in (site / FOLDER).iterdir()) / 1000
    return [
        Figure(f"heaviest of {len(articles)} articles, HTML gzipped", heaviest, "KB", 60),
        Figure("our own scripts, gzipped", own, "KB", 30),
        Figure("fonts, all four", fonts, "KB", 150),
    ]


def editing(root: Path, scratch: Path, rounds: int) -> Figure:
    """Seconds from the save of an article until the server shows the edit, in a copy of the book."""
    copy = scratch / "copy"
    copy.mkdir()
    for name in ("docs", "snippets", "scripts/inside_torch"):
        shutil.copytree(root / name, copy / name)
    for name in ("mkdocs.yml", "pins.lock", "pyproject.toml"):
        shutil.copy(root / name, copy / name)
    (copy / "scripts/npm").symlink_to(root / "scripts/npm")
    server = subprocess.Popen(
        [sys.executable, "-m", "inside_torch.cli", "serve", "--port", "0"],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(copy / "scripts"), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert server.stdout is not None  # it is a pipe
    lines = server.stdout
    try:
        address = next((found[0] for line in lines if (found := re.search(r"http://\S+", line))), None)
        if address is None:
            raise BookError("bench", "the server ended before it served", "an address")
        threading.Thread(target=lambda: [None for _ in lines], daemon=True).start()
        article = copy / "docs/en" / f"{ARTICLE}.md"
        taken = []
        for turn in range(rounds):
            mark = f"edited-{turn}-by-the-benchmark"
            start = time.monotonic()
            article.write_text(article.read_text("utf-8") + f"\n{mark}\n", "utf-8")
            while mark not in _get(f"{address}en/{ARTICLE}/"):
                if time.monotonic() - start > 60:
                    raise BookError("bench", "the edit did not show within 60 s", "a rebuilt page")
                time.sleep(0.01)
            taken.append(time.monotonic() - start)
            time.sleep(0.5)
        return Figure("an edit of one article is served after", statistics.median(taken), "s", 1)
    finally:
        server.terminate()
        server.wait()


def _get(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return answer.read().decode()


def drawing(served: Path, rounds: int) -> Figure:
    """Seconds from opening an article in Chromium until its diagrams are drawn.

    ``served`` holds the built English site in ``en``.
    """
    from playwright.sync_api import sync_playwright

    from inside_torch.site.browser import BROWSERS, find_browser
    from inside_torch.site.server import SiteServer

    browser = find_browser()
    if browser is None:
        raise BookError("bench", "no browser", ", ".join(BROWSERS))
    server = SiteServer(served, 0).start()
    taken = []
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
            )
            for _ in range(rounds):
                # The site's policy forbids what is evaluated, and so what waits in the page.
                page = chromium.new_context(bypass_csp=True).new_page()
                start = time.monotonic()
                page.goto(f"{server.url}en/{ARTICLE}/")
                page.evaluate("dispatchEvent(new Event('drawdiagrams'))")  # those far below too
                page.wait_for_function(
                    "[...document.querySelectorAll('.mermaid')].every(each => each.querySelector('svg'))"
                )
                taken.append(time.monotonic() - start)
                page.context.close()
            chromium.close()
    finally:
        server.close()
    return Figure("an article's diagrams are drawn in Chromium after", statistics.median(taken), "s")
