"""A reading route: its modules as a chart, then its articles; what is not written yet is shown as such."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inside_torch.book.article_summary import ArticleSummary, article_summaries
from inside_torch.book.curriculum import Branch, Curriculum, Route, load
from inside_torch.book.fence_kinds import RouteFence
from inside_torch.errors import BookError, nearest
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import coded, element, extend


def draw(canvas: Canvas, block: RouteFence) -> Element:
    """The whole of one route; the page's script adds what the reader has read of it."""
    with canvas.page.at(block.fence.body_line):
        curriculum = load(canvas.root)
        route = curriculum.routes.get(block.subject)
        if route is None:
            raise BookError(
                "route-unknown",
                f"no route `{block.subject}`",
                "one of " + ", ".join(curriculum.routes),
                nearest(block.subject, curriculum.routes),
            )
    language = canvas.labels.language
    written = article_summaries(canvas.book, language)
    drawn = element("div", "it-route")
    if route.needs:
        drawn.append(_needs(canvas, curriculum, route, written))
    for number, branch in enumerate(route.branches):
        part = element("section", "it-branch", data_route=f"{block.subject}/{number}")
        if branch.title is not None:
            part.append(element("h2", "", branch.title.of(language), id=f"branch-{number + 1}"))
        chart = _chart(canvas, curriculum, branch, written)
        drawn.append(extend(part, chart, _steps(canvas, curriculum, branch, written)))
    return drawn


def _needs(
    canvas: Canvas, curriculum: Curriculum, route: Route, written: dict[str, ArticleSummary]
) -> Element:
    """The modules that the route takes as read."""
    line = element("p", "it-route-needs", canvas.labels("route-needs"))
    for module in route.needs:
        extend(line, " ", _module(canvas, curriculum, module, written))
    return line


def _module(
    canvas: Canvas, curriculum: Curriculum, module: str, written: dict[str, ArticleSummary]
) -> Element:
    """A module by number and title: a link to its index where any of it is written."""
    title = curriculum.modules[module].title.of(canvas.labels.language)
    name = f"{module.split('-')[1]} {title}"
    if any(slug in written for slug in curriculum.articles(module)):
        return element("a", "it-module", name, href=_href(canvas, f"{module}/index"))
    return element("span", "it-module it-planned", name)


def _chart(
    canvas: Canvas, curriculum: Curriculum, branch: Branch, written: dict[str, ArticleSummary]
) -> Element:
    """The modules in the order of the branch, a box each, with how much of them is written."""
    modules: dict[str, list[str]] = {}
    for slug in curriculum.path(branch):
        modules.setdefault(slug.partition("/")[0], []).append(slug)
    chart = element("ol", "it-route-chart")
    for module, slugs in modules.items():
        done = sum(slug in written for slug in slugs)
        count = canvas.labels("articles", written=done, count=len(slugs))
        box = element("li", "" if done else "it-planned", _module(canvas, curriculum, module, written))
        chart.append(extend(box, element("small", "", count)))
    return chart


def _steps(
    canvas: Canvas, curriculum: Curriculum, branch: Branch, written: dict[str, ArticleSummary]
) -> Element:
    """Every article of the branch with its question and its minutes."""
    labels = canvas.labels
    listed = element("ol", "it-route-steps", aria_label=labels("route-steps"))
    for slug in curriculum.path(branch):
        reading, entry = written.get(slug), curriculum.entries[slug]
        if reading is None:
            title = element("span", "it-step-title", entry.title.of(labels.language))
            state = element("small", "", labels("planned"))
            question = entry.question.of(labels.language)
        else:
            title = element("a", "it-step-title", reading.title, href=_href(canvas, slug))
            state = element("small", "", labels("minutes", count=reading.minutes))
            question = reading.question
        item = element("li", "" if reading else "it-planned", title, " ", state, data_slug=slug)
        listed.append(extend(item, coded(element("span", "it-step-question"), question)))
    return listed


def _href(canvas: Canvas, slug: str) -> str:
    """A link from this page to another, which MkDocs makes an address."""
    return "../" * canvas.page.depth + f"{slug}.md"
