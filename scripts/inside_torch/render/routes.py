"""A reading route: its modules as a chart, then its articles; what is not written yet is shown as such."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from inside_torch.book.article_summary import ArticleSummary, article_summaries
from inside_torch.book.curriculum import Branch, Curriculum, Route, load
from inside_torch.book.fences import Fence, FenceBody
from inside_torch.errors import BookError, nearest
from inside_torch.render.elements import coded, element, extend

if TYPE_CHECKING:
    from inside_torch.render.extension import InsideTorch


def draw(extension: InsideTorch, fence: Fence, body: FenceBody) -> Element:
    """The whole of one route; the page's script adds what the reader has read of it."""
    with extension.page.at(fence.body_line):
        curriculum = load(extension.root)
        route = curriculum.routes.get(body.subject)
        if route is None:
            raise BookError(
                "route-unknown",
                f"no route `{body.subject}`",
                "one of " + ", ".join(curriculum.routes),
                nearest(body.subject, curriculum.routes),
            )
    language = extension.labels.language
    written = article_summaries(extension.book, language)
    drawn = element("div", "it-route")
    if route.needs:
        drawn.append(_needs(extension, curriculum, route, written))
    for number, branch in enumerate(route.branches):
        part = element("section", "it-branch", data_route=f"{body.subject}/{number}")
        if branch.title is not None:
            part.append(element("h2", "", branch.title.of(language), id=f"branch-{number + 1}"))
        chart = _chart(extension, curriculum, branch, written)
        drawn.append(extend(part, chart, _steps(extension, curriculum, branch, written)))
    return drawn


def _needs(
    extension: InsideTorch, curriculum: Curriculum, route: Route, written: dict[str, ArticleSummary]
) -> Element:
    """The modules that the route takes as read."""
    line = element("p", "it-route-needs", extension.labels("route-needs"))
    for module in route.needs:
        extend(line, " ", _module(extension, curriculum, module, written))
    return line


def _module(
    extension: InsideTorch, curriculum: Curriculum, module: str, written: dict[str, ArticleSummary]
) -> Element:
    """A module by number and title: a link to its index where any of it is written."""
    title = curriculum.modules[module].title.of(extension.labels.language)
    name = f"{module.split('-')[1]} {title}"
    if any(slug in written for slug in curriculum.articles(module)):
        return element("a", "it-module", name, href=_href(extension, f"{module}/index"))
    return element("span", "it-module it-planned", name)


def _chart(
    extension: InsideTorch, curriculum: Curriculum, branch: Branch, written: dict[str, ArticleSummary]
) -> Element:
    """The modules in the order of the branch, a box each, with how much of them is written."""
    modules: dict[str, list[str]] = {}
    for slug in curriculum.path(branch):
        modules.setdefault(slug.partition("/")[0], []).append(slug)
    chart = element("ol", "it-route-chart")
    for module, slugs in modules.items():
        done = sum(slug in written for slug in slugs)
        count = extension.labels("articles", written=done, count=len(slugs))
        box = element("li", "" if done else "it-planned", _module(extension, curriculum, module, written))
        chart.append(extend(box, element("small", "", count)))
    return chart


def _steps(
    extension: InsideTorch, curriculum: Curriculum, branch: Branch, written: dict[str, ArticleSummary]
) -> Element:
    """Every article of the branch with its question and its minutes."""
    labels = extension.labels
    listed = element("ol", "it-route-steps", aria_label=labels("route-steps"))
    for slug in curriculum.path(branch):
        reading, entry = written.get(slug), curriculum.entries[slug]
        if reading is None:
            title = element("span", "it-step-title", entry.title.of(labels.language))
            state = element("small", "", labels("planned"))
            question = entry.question.of(labels.language)
        else:
            title = element("a", "it-step-title", reading.title, href=_href(extension, slug))
            state = element("small", "", labels("minutes", count=reading.minutes))
            question = reading.question
        item = element("li", "" if reading else "it-planned", title, " ", state, data_slug=slug)
        listed.append(extend(item, coded(element("span", "it-step-question"), question)))
    return listed


def _href(extension: InsideTorch, slug: str) -> str:
    """A link from this page to another, which MkDocs makes an address."""
    return "../" * extension.page.depth + f"{slug}.md"
