"""Terms: the page that lists them, and the first use of each in an article, which leads there."""

from __future__ import annotations

from xml.etree.ElementTree import Element, fromstring

from markdown.util import AtomicString

from inside_torch.book import glossary
from inside_torch.book.fence_kinds import GlossaryFence
from inside_torch.render import code
from inside_torch.render.canvas import Canvas, CanvasProcessor
from inside_torch.render.elements import coded, element, extend

#: Where a term stays as it is: links, code, headings, what our own fences have drawn.
_CLOSED = {
    "a",
    "code",
    "pre",
    "figure",
    "abbr",
    "th",
    "script",
    "style",
    *(f"h{level}" for level in range(1, 7)),
}
#: The page that lists the terms, from the documents' folder on.
PAGE = "glossary.md"


def draw(canvas: Canvas, block: GlossaryFence) -> Element:
    """Every term by name, with its meaning and the article that explains it, each a section of its own."""
    known, language = glossary.load(canvas.root), canvas.labels.language
    listed = element("div", "it-glossary")
    for key in sorted(known.terms, key=lambda key: known.name(key, language).lower()):
        term = known.terms[key]
        slug, _, anchor = term.see.partition("#")
        href = "../" * canvas.page.depth + f"{slug}.md#{anchor}"
        more = element("a", "", canvas.labels("term-more"), href=href)
        name = element("h2", "", known.heading(key, language), id=f"term-{glossary.anchor(key)}")
        extend(listed, name, extend(coded(element("p"), term.meaning(language)), " ", more))
        if term.example:
            extend(listed, element("div", "it-example", element("pre", "highlight", _coloured(term.example))))
    return listed


def _coloured(text: str) -> Element:
    """Python as an element, which the plain copy reads as well."""
    made = fromstring(f"<code>{code.coloured(text, 'python').rstrip()}</code>")
    for one in made.iter():
        one.text, one.tail = AtomicString(one.text or ""), AtomicString(one.tail or "")
    return made


class FirstUses(CanvasProcessor):
    """Makes the first use of each term in an article a link to its meaning, which it also tells by itself."""

    def run(self, root: Element) -> None:
        page, top = self.canvas.page, self.canvas.page.top
        if page.depth != 1 or top is None or not (top / PAGE).is_file() or page.file is None:
            return
        if not page.file.parent.name.startswith("module-") or page.file.stem == "index":
            return
        self.known = glossary.load(self.canvas.root)
        self.language = self.canvas.labels.language
        self.pattern = self.known.pattern(self.language)
        self.told: set[str] = set()
        self._walk(root)

    def _walk(self, parent: Element) -> None:
        """Text, then each child and what follows it, in the order in which they are read."""
        if parent.tag in _CLOSED:
            return
        self._split(parent, None)
        for child in list(parent):
            self._walk(child)
            self._split(parent, child)

    def _split(self, parent: Element, child: Element | None) -> None:
        """Put links into the text before the first child, or into that after ``child``."""
        text = (parent.text if child is None else child.tail) or ""
        at = 0 if child is None else list(parent).index(child) + 1
        end, made = 0, []
        for found in self.pattern.finditer(text):
            key = self.known.key(found[0], self.language)
            if key not in self.told:
                self.told.add(key)
                made.append((text[end : found.start()], self._link(key, found[0])))
                end = found.end()
        if not made:
            return
        for number, (before, link) in enumerate(made):
            if number:
                made[number - 1][1].tail = before
            elif child is None:
                parent.text = before
            else:
                child.tail = before
            parent.insert(at + number, link)
        made[-1][1].tail = text[end:]

    def _link(self, key: str, word: str) -> Element:
        meaning = self.known.terms[key].meaning(self.language).replace("`", "")
        href = f"../{PAGE}#term-{glossary.anchor(key)}"
        link = element("a", "it-term", href=href, aria_description=meaning)
        link.text = AtomicString(word)
        return link
