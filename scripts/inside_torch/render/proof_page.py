"""What is proven of each article, by what and when: pins, runs, other releases, the translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from inside_torch.book.article_summary import article_summaries
from inside_torch.book.claims import Counts, claims_of
from inside_torch.book.fence_kinds import OutputFence, PathFence, ProbeFence, ProofFence
from inside_torch.book.language import CHINESE, ENGLISH, digest_of
from inside_torch.book.mentions import mentions
from inside_torch.book.open_sentences import open_sentences
from inside_torch.book.readings import Found, Reading, is_settled, load, of_article
from inside_torch.book.run_record import KINDS, RUNS, ArticleRun, RunRecord, article_digest
from inside_torch.pins.resolve import Pin
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend
from inside_torch.render.paths import recording


def draw(canvas: Canvas, block: ProofFence) -> Element:
    """A section for each written article; its head leads there."""
    pins: dict[str, dict[str, Pin]] = {}
    for mention in mentions(canvas.book, canvas.sources.pins()):
        pins.setdefault(mention.page, {})[str(mention.pin.address)] = mention.pin
    proofs = {run: RunRecord.of(canvas.root, *run) for run in RUNS}
    known = load(canvas.root)
    drawn = element("div", "it-proof")
    for slug, reading in article_summaries(canvas.book, canvas.labels.language).items():
        href = "../" * canvas.page.depth + f"{slug}.md"
        title = element("p", "it-proof-article", element("a", "", reading.title, href=href), id=anchor(slug))
        told = element("dl")
        _row(told, canvas.labels("proof-pins"), [_pins(canvas, list(pins.get(slug, {}).values()))])
        digest = article_digest(canvas.root, slug)
        for run, proof in proofs.items():
            if run[1] == "dry" and not _has_dry(canvas, slug):
                continue
            name = canvas.labels(f"proof-{run[0]}-{run[1]}")
            _row(told, name, _run(canvas, proof.articles.get(slug), digest))
        _row(told, canvas.labels("proof-counted"), [_counted(canvas, slug)])
        _row(told, canvas.labels("proof-open"), [_open(canvas, slug)])
        _row(told, canvas.labels("proof-read"), _read(canvas, known, slug))
        if releases := _releases(canvas, list(pins.get(slug, {}).values())):
            _row(told, canvas.labels("proof-drift"), releases)
        _row(told, canvas.labels("proof-language"), [_translation(canvas, slug)])
        drawn.append(element("section", "", title, told))
    return drawn


def anchor(slug: str) -> str:
    """The id of an article on the page."""
    return slug.replace("/", "-")


def _row(told: Element, name: str, values: list[Element | str]) -> None:
    extend(told, element("dt", "", name), *[element("dd", "", value) for value in values])


def _pins(canvas: Canvas, pins: list[Pin]) -> str:
    kinds = Counter(pin.evidence for pin in pins)
    known = [kind for kind in ("text", "tree", "witness", "file") if kinds[kind]]
    shown = [canvas.labels(f"proof-{kind}", count=kinds[kind]) for kind in known]
    return ", ".join(shown)


def _read(canvas: Canvas, known: list[Reading], slug: str) -> list[Element | str]:
    """Whether the last two readings found nothing serious, those two, and the earlier ones folded."""
    labels, readings = canvas.labels, list(of_article(known, slug))
    if not readings:
        return [element("span", "it-proof-never", labels("proof-read-never"))]
    settled = is_settled(known, slug)
    told: list[Element | str] = [labels("proof-read-settled" if settled else "proof-read-unsettled")]
    told += _readings(canvas, readings[:2], slug)
    if earlier := readings[2:]:
        serious, minor = (sum(getattr(found, kind) for _, found in earlier) for kind in ("serious", "minor"))
        text = labels("proof-read-earlier", count=len(earlier), serious=serious, minor=minor)
        parts = [element("div", "", part) for part in _readings(canvas, earlier, slug)]
        told.append(element("details", "", element("summary", "", text), *parts))
    return told


def _readings(canvas: Canvas, readings: list[tuple[Reading, Found]], slug: str) -> Iterator[Element | str]:
    """Each reading against the source, with the statements of this article or of all that were read."""
    labels = canvas.labels
    now = digest_of(canvas.root / ENGLISH.docs / f"{slug}.md")
    for reading, found in readings:
        yield labels("proof-read-found", date=reading.date, serious=found.serious, minor=found.minor)
        several = len(reading.articles)
        if found.statements or several == 1:
            count = labels("proof-read-statements", count=found.statements or reading.statements)
        else:
            count = labels("proof-read-together", count=reading.statements, articles=several)
        older = f" ({labels('proof-older')})" if found.digest != now else ""
        yield element("small", "", f"{count}{older}")


def _counted(canvas: Canvas, slug: str) -> str:
    file = Counts.file(canvas.root, slug)
    counts = list(Counts.load(file).claims.values()) if file.is_file() else []
    if not counts:
        return canvas.labels("proof-counted-none")
    return canvas.labels(
        "proof-counted-count",
        claims=len(counts),
        members=f"{sum(one.count for one in counts):,}",
        exceptions=f"{sum(len(one.exceptions) for one in counts):,}",
    )


def _open(canvas: Canvas, slug: str) -> str:
    page = canvas.book.page(ENGLISH, f"{slug}.md")
    found = open_sentences(page) if page else []
    excused = sum(bool(one.reason) for one in found)
    return canvas.labels("proof-open-count", count=len(found) - excused, excused=excused)


def _has_dry(canvas: Canvas, slug: str) -> bool:
    """Whether something of the article runs on the dry GPU."""
    page = canvas.book.page(ENGLISH, f"{slug}.md")
    if page is None:
        return False
    devices = [block.devices for block in page.of(ProbeFence)]
    devices += [block.devices for block in page.of(OutputFence)]
    devices += [(recording(canvas.root, block.subject).device,) for block in page.of(PathFence)]
    devices += [(claim.build,) for claim in claims_of(canvas.root, slug).values()]
    return any("dry" in some for some in devices)


def _run(canvas: Canvas, run: ArticleRun | None, digest: str) -> list[Element | str]:
    labels = canvas.labels
    if run is None:
        return [element("span", "it-proof-never", labels("proof-never"))]
    counted, failed = [], 0
    for kind in KINDS:
        tally = run.tallies.get(kind)
        if tally is not None and tally.passed + tally.failed:
            failed += tally.failed
            count = tally.passed + tally.failed
            counted.append(labels(f"proof-{kind}", passed=tally.passed, count=count))
    text = element("span", "it-proof-failed" if failed else "it-proof-passed", ", ".join(counted))
    if failed:
        extend(text, f", {labels('proof-failed', count=failed)}")
    when = labels("proof-when", date=run.date, torch=run.torch, device=run.device, machine=run.machine)
    if run.digest != digest:
        when += f" ({labels('proof-older')})"
    return [text, element("small", "", when)]


def _releases(canvas: Canvas, pins: list[Pin]) -> list[Element | str]:
    told: list[Element | str] = []
    for one in canvas.sources.stored():
        states = Counter(drift.state if (drift := one.of(pin)) else "unknown" for pin in pins)
        text = canvas.labels(
            "proof-drift-of",
            release=one.version,
            same=states["same"] + states["moved"],
            changed=states["changed"],
            gone=states["gone"],
            other=states["unknown"],
        )
        told.append(text)
    return told


def _translation(canvas: Canvas, slug: str) -> str:
    page = canvas.book.page(CHINESE, f"{slug}.md")
    if page is None:
        return canvas.labels("proof-english")
    original = digest_of(canvas.root / ENGLISH.docs / f"{slug}.md")
    behind = page.is_behind or page.translated_from != original
    return canvas.labels("proof-behind" if behind else "proof-translated")
