"""The lists that are made for the site, as Markdown: read from the same elements that the site draws."""

from __future__ import annotations

from xml.etree.ElementTree import Element


def listed(element: Element) -> str:
    """The Markdown of what the site draws."""
    return "\n\n".join(_blocks(element))


def _blocks(element: Element) -> list[str]:
    """The paragraphs, headings, programs and lists of an element, one after the other."""
    if element.tag == "h2":
        return [f"## {_inline(element)}"]
    if element.tag == "pre":
        return [f"```python\n{''.join(element.itertext()).rstrip()}\n```"]
    if element.tag == "summary":
        return [f"**{_inline(element)}**"]
    if element.tag in ("ol", "ul"):
        marks = [f"{number}." if element.tag == "ol" else "-" for number in range(1, len(element) + 1)]
        return ["\n".join(f"{mark} {_inline(item)}" for mark, item in zip(marks, element, strict=True))]
    if element.tag == "dl":
        return ["\n".join(_definitions(element))]
    if element.tag in ("div", "section", "details"):
        return [block for child in element for block in _blocks(child)]
    return [_inline(element)]


def _definitions(element: Element) -> list[str]:
    """A line for each name, what is said of it behind it."""
    lines: list[str] = []
    for child in element:
        if child.tag == "dt":
            lines.append(f"- **{_inline(child)}**:")
        else:
            lines[-1] += ("" if lines[-1].endswith("**:") else ";") + f" {_inline(child)}"
    return lines


def _inline(element: Element) -> str:
    """The text of an element; parts that only a style sets apart are set apart by a blank."""
    text = element.text or ""
    for child in element:
        inner = _inline(child)
        if child.tag == "a":
            inner = f"[{inner}]({child.get('href')})"
        elif child.tag == "code":
            inner = f"`{inner}`"
        apart = child.tag != "code" and text and text[-1] not in " /(" and not inner.startswith(" ")
        text += (" " if apart else "") + inner + (child.tail or "")
    return " ".join(text.split()) if element.tag in ("li", "dd", "dt", "p", "summary", "h2") else text
