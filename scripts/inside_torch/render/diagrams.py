"""Mermaid fences: addresses become permalinks, and a node that names a symbol is a link to it.

A label names a symbol when it holds ``::``, a name with ``()``, a name with an underscore, or a name with a
capital inside (``AccumulateGrad``); the names of products in :data:`PLAIN_NAMES`
do not count. Every class of a class diagram does. Of the names in a label at least one must stand in the
address that the label links to, so that the two cannot part unseen.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import DiagramFence
from inside_torch.book.fences import Fence
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import Address
from inside_torch.render import diagram_sizes
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, link
from inside_torch.render.labels import Labels
from inside_torch.render.pin_index import PinIndex

PLAIN_NAMES = frozenset(
    [
        "PyTorch",
        "LibTorch",
        "NumPy",
        "GitHub",
        "JavaScript",
        "TypeScript",
        "OpenMP",
        "OpenMPI",
        "cuDNN",
        "cuBLAS",
        "macOS",
        "iOS",
        "TorchScript",
        "TorchDynamo",
        "TorchInductor",
        "AOTAutograd",
        # Shared libraries: files of a build, which hold many symbols and are none.
        "libtorch_python",
        "libtorch_cpu",
        "libtorch_cuda",
    ]
)
KINDS = {
    "flowchart": "flowchart",
    "graph": "flowchart",
    "classDiagram": "class",
    "sequenceDiagram": "sequence",
    "stateDiagram-v2": "state",
    "stateDiagram": "state",
}

_SYMBOL = re.compile(r"::|\b[A-Za-z_]\w*\s*\(\s*\)")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_QUALIFIED = re.compile(r"[A-Za-z_]\w*(?:(?:::|\.)~?[A-Za-z_]\w*)*(?P<call>\s*\(\s*\))?", re.ASCII)
_BACKWARD = re.compile(r"(?P<name>\w+?)Backward\d*", re.ASCII)
DERIVATIVES = "tools/autograd/derivatives.yaml"
_CAMEL = re.compile(r"[A-Za-z]*[a-z][A-Z]|[A-Z]{2,}[a-z]{2,}")
_CLICK = re.compile(r'^(\s*)click\s+([\w.-]+)\s+(?:href\s+)?"([^"]*)"(?:\s+"([^"]*)")?(.*)$')
_LINK = re.compile(r"^(\s*)link\s+([^:]+?)\s*:\s*(.+?)\s*@\s*(\S.*?)\s*$")
_COLOUR = re.compile(
    r"^\s*(?:style\s+\S|classDef\s+\S.*(?:fill|stroke|color)\s*:|linkStyle\s+\S.*(?:fill|stroke|color)\s*:"
    r"|rect\s+(?:rgba?|#|[a-z])|box\s+(?:rgba?\(|#|(?:aqua|blue|red|green|gray|grey|yellow|purple|pink)\b)"
    r"|%%\{\s*init\b.*(?:theme|Color))",
    re.IGNORECASE,
)
# A node of a flowchart: its id and the label in one of Mermaid's brackets.
_NODE = re.compile(
    r"""(?<![\w"])(?P<id>[A-Za-z_][\w.-]*?)\s*(?:
        @\{[^}]*?\blabel:\s*"(?P<at>[^"]*)"[^}]*\}
      | (?:\[\[|\[\(|\[/|\[\\|\(\[|\(\(\(|\(\(|\{\{|\[|\(|\{|>)\s*
        (?:"(?P<quoted>[^"]*)"|(?P<bare>[^"\[\](){}|]+?(?:\(\))?))\s*
        (?:\]\]|\)\]|/\]|\\\]|\]\)|\)\)\)|\)\)|\}\}|\]|\)|\})
    )""",
    re.VERBOSE,
)
_ARROW = re.compile(r"\s*(?:<?(?:--|==|-\.|~~)[^\s|]*(?:\|[^|]*\|)?|&)\s*")
_FLOW_WORDS = frozenset(
    [
        "flowchart",
        "graph",
        "subgraph",
        "end",
        "direction",
        "click",
        "style",
        "classDef",
        "class",
        "linkStyle",
        "accTitle",
        "accDescr",
    ]
)
_CLASS_RELATION = re.compile(
    r'^\s*(?P<a>\w+)(?:~[^~]*~)?\s*(?:"[^"]*"\s*)?(?:<\||\*|o|<|\(\))?(?:--|\.\.)(?:\|>|\*|o|>|\(\))?\s*(?:"[^"]*"\s*)?(?P<b>\w+)'
)
_CLASS = re.compile(r"^\s*class\s+(?P<id>\w+)")
_PARTICIPANT = re.compile(
    r"^\s*(?:create\s+)?(?:participant|actor)\s+(?P<id>.+?)(?:\s+as\s+(?P<label>.+?))?\s*$"
)
_MESSAGE = re.compile(r"^\s*(?P<a>[\w. ]+?)\s*(?:<<)?-{1,2}(?:>>|>|x|\))[+-]?\s*(?P<b>[\w. ]+?)\s*:")
_STATE = re.compile(
    r'^\s*state\s+"(?P<label>[^"]*)"\s+as\s+(?P<id>\w+)|^\s*(?P<other>\w+)\s*:\s*(?P<text>.+)$'
)
_STATE_ARROW = re.compile(r"^\s*(?P<a>\w+|\[\*\])\s*-->\s*(?P<b>\w+|\[\*\])")

_DESCRIPTION = re.compile(r"^\s*accDescr\s*(?::\s*(\S.*)|\{([^}]*)\})", re.MULTILINE)


@dataclass
class Diagram:
    """A diagram as Mermaid gets it."""

    source: str
    title: str
    line: int | None = None
    links: list[tuple[str, str, str]] = field(default_factory=list)  # label, address on GitHub, title


def draw(canvas: Canvas, block: DiagramFence) -> Element:
    """The figure of a mermaid fence."""
    return figure(canvas, resolve(block.fence, canvas.sources, canvas.labels), id=block.id or None)


def figure(canvas: Canvas, diagram: Diagram, **attributes: str | None) -> Element:
    """The diagram, its title below, and its description and links for a reader without scripts."""
    items = [
        element(
            "li",
            "",
            link("pin", href, label, title=title)
            if href.startswith("http")
            else element("a", "", label, href=href),
        )
        for label, href, title in diagram.links
    ]
    described = _DESCRIPTION.search(diagram.source)
    told = []
    if described:
        text = " ".join((described[1] or described[2]).split())
        told.append(element("p", "", text, data_search_exclude="true"))
    if items:
        told += [element("p", "", canvas.labels("diagram-links")), element("ul", "", *items)]
    fallback = element("noscript", "", *told) if told else None
    name = diagram_sizes.key(diagram.source)
    size = diagram_sizes.load(canvas.root).get(name)
    # Until it is drawn its place is kept, so that nothing below it moves.
    kept = {"style": f"--it-w:{size[0]};--it-h:{size[1]}"} if size else {}
    return element(
        "figure",
        "it-diagram",
        element("div", "mermaid", diagram.source, data_search_exclude="true", data_key=name, **kept),
        element("figcaption", "", diagram.title),
        fallback,
        **attributes,
    )


def resolve(fence: Fence, sources: PinIndex, labels: Labels) -> Diagram:
    """The diagram with permalinks for addresses; :class:`BookError` where it breaks a rule, with its line."""
    lines = fence.body.rstrip("\n").split("\n")
    kind = _kind(lines, fence)
    title = _texts(lines, fence)
    nodes = NODES[kind](lines)
    clicked: set[str] = set()
    links: list[tuple[str, str, str]] = []
    written = []
    for number, line in enumerate(lines):
        at = fence.body_line + number
        if _COLOUR.match(line):
            raise BookError(
                "diagram-colour", f"`{line.strip()}`", "no colours: they follow the palette", line=at
            )
        match = (_LINK if kind == "sequence" else _CLICK).match(line)
        if not match:
            written.append(line)
            continue
        node = match[2].strip()
        if node not in nodes:
            raise BookError(
                "diagram-click",
                f"a link of `{node}`, which the diagram has not",
                "a node",
                nearest(node, nodes),
                line=at,
            )
        clicked.add(node)
        address = match[4] if kind == "sequence" else match[3]
        try:
            href, tip = _target(address.strip(), sources, labels)
        except BookError as error:
            raise error.at(None, at) from None
        if address.strip().startswith("src:"):
            _agrees(plain(nodes[node]), Address.parse(address), kind, at)
        text = match[3] if kind == "sequence" else plain(nodes[node])
        if href is None:
            continue  # a generated file has no place to link to
        links.append((text, href, tip))
        if kind == "sequence":
            written.append(sequence_link(node, match[3], href, match[1]))
        else:
            tip = match[4] or tip
            written.append(f'{match[1]}click {node} href "{href}"' + (f' "{tip}"' if tip else ""))
    for node, label in nodes.items():
        if node not in clicked and (kind == "class" or names_symbol(plain(label))):
            how = f"link {node}: source @ src:…" if kind == "sequence" else f'click {node} href "src:…"'
            at = next(
                (i for i, line in enumerate(lines) if label in line and not line.strip().startswith("acc")), 0
            )
            raise BookError(
                "diagram-link",
                f"`{plain(label)}` names a symbol and has no link",
                how,
                line=fence.body_line + at,
            )
    return Diagram("\n".join(written) + "\n", title, fence.line, links)


def sequence_link(node: str, label: str, href: str, indent: str = "  ") -> str:
    """A participant's link; Mermaid ends a text at ``#`` unless it is written as a character code."""
    return f"{indent}link {node}: {label} @ {href.replace('#', '#35;')}"


def names_symbol(label: str) -> bool:
    """Whether a label names something of the code; the rule is in this module's text."""
    if _SYMBOL.search(label):
        return True
    return any(_is_symbol(name) for name in _NAME.findall(label))


def _is_symbol(name: str) -> bool:
    """Whether a single name is spelled like one of the code."""
    spelled = "_" in name.strip("_") or name.startswith("__") or _CAMEL.match(name) is not None
    return spelled and name not in PLAIN_NAMES


def symbols_of(label: str) -> list[str]:
    """The names of the code in a label, each without what qualifies it: ``Node::device`` is ``device``."""
    found = []
    for match in _QUALIFIED.finditer(label):
        name = match[0].removesuffix(match["call"] or "")
        last = re.split(r"::|\.", name)[-1]
        if last != name or match["call"] or name.endswith("_") or _is_symbol(name):
            found.append(last)
    return found


def _agrees(label: str, address: Address, kind: str, line: int) -> None:
    """Rule ``diagram-label``: what a label names must stand in the address that it links to."""
    names = symbols_of(label) or ([label] if kind == "class" else [])
    if names and not any(_stands_in(name, address) for name in names):
        raise BookError(
            "diagram-label",
            f"the label `{label}` of a link to {address}",
            "a label and an address that name the same symbol",
            line=line,
        )


def _stands_in(name: str, address: Address) -> bool:
    """Whether the address names it; ``mul`` is the entry of the node ``MulBackward0``."""
    if name in str(address):
        return True
    node = _BACKWARD.fullmatch(name)
    entry = (address.symbol or "").split(".")[0].replace("_", "")
    return address.path == DERIVATIVES and node is not None and node["name"].lower() == entry.lower()


def plain(label: str) -> str:
    """A label as the reader sees it."""
    text = re.sub(r"<br\s*/?>|\\n", " ", label).strip().strip("`")
    return text.replace("#lt;", "<").replace("#gt;", ">").replace("#quot;", '"').replace("#35;", "#")


def _target(address: str, sources: PinIndex, labels: Labels) -> tuple[str | None, str]:
    if not address.startswith("src:"):
        if re.match(r"(?:https://|#|\.{0,2}/|[\w-]+/)", address) is None:
            raise BookError(
                "link-scheme", f"a link to {address[:60]}", "an address src:…, an anchor or https"
            )
        return address, ""
    source = sources.look(address)
    return source.pin.permalink, source.title(labels).replace('"', "'")


def _kind(lines: list[str], fence: Fence) -> str:
    for line in lines:
        word = line.split(maxsplit=1)[0] if line.strip() else ""
        if word and not word.startswith(("%%", "accTitle", "accDescr")):
            if word.rstrip(";") not in KINDS:
                break
            return KINDS[word.rstrip(";")]
    raise BookError(
        "diagram-kind",
        f"a diagram that begins `{lines[0].strip() if lines else ''}`",
        "one of " + ", ".join(KINDS),
        line=fence.body_line,
    )


def _texts(lines: list[str], fence: Fence) -> str:
    """The title for those who do not see the diagram; it and the description must be there."""
    title = next((m[1].strip() for line in lines if (m := re.match(r"\s*accTitle\s*:\s*(\S.*)$", line))), "")
    described = any(re.match(r"\s*accDescr\s*(?::\s*\S|\{)", line) for line in lines)
    for name, there in (("accTitle", title), ("accDescr", described)):
        if not there:
            raise BookError("diagram-text", f"a diagram with no {name}", f"`{name}: …`", line=fence.line)
    return title


def _flow_nodes(lines: list[str]) -> dict[str, str]:
    nodes: dict[str, str] = {}
    inside = False
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("accDescr") and stripped.endswith("{"):
            inside = True
        if inside:
            inside = "}" not in stripped
            continue
        word = re.split(r"[\s:]", stripped, maxsplit=1)[0] if stripped else ""
        if not stripped or stripped.startswith("%%") or (word in _FLOW_WORDS and word != "subgraph"):
            continue
        rest = stripped.removeprefix("subgraph").strip() if word == "subgraph" else stripped
        for match in _NODE.finditer(rest):
            nodes[match["id"]] = next(
                text for text in (match["at"], match["quoted"], match["bare"]) if text is not None
            )
        # What is left between the arrows are nodes with no label of their own.
        left = re.sub(
            r'--\s*"[^"]*"\s*-->|-->\s*\|[^|]*\||--[^->|]+-->|-\.[^.]+\.->|==[^=>]+==>',
            "-->",
            _NODE.sub(r"\g<id>", rest),
        )
        for part in _ARROW.split(left):
            name = part.strip().split(":::")[0].rstrip(";")
            if re.fullmatch(r"[A-Za-z_][\w.-]*", name):
                nodes.setdefault(name, name)
    return nodes


def _class_nodes(lines: list[str]) -> dict[str, str]:
    nodes: dict[str, str] = {}
    inside = False
    for line in lines:
        if inside:
            inside = "}" not in line
            continue
        if match := _CLASS.match(line):
            nodes.setdefault(match["id"], match["id"])
        elif match := _CLASS_RELATION.match(line):
            nodes.setdefault(match["a"], match["a"])
            nodes.setdefault(match["b"], match["b"])
        inside = line.rstrip().endswith("{") and not line.strip().startswith("namespace")
    return nodes


def _sequence_nodes(lines: list[str]) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for line in lines:
        if match := _PARTICIPANT.match(line):
            nodes[match["id"]] = match["label"] or match["id"]
        elif match := _MESSAGE.match(line):
            for end in (match["a"].strip(), match["b"].strip()):
                nodes.setdefault(end, end)
    return nodes


def _state_nodes(lines: list[str]) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for line in lines:
        if match := _STATE_ARROW.match(line):
            for end in (match["a"], match["b"]):
                if end != "[*]":
                    nodes.setdefault(end, end)
        elif line.strip().startswith(("accTitle", "accDescr", "note", "direction", "click")):
            continue
        elif match := _STATE.match(line):
            nodes[match["id"] or match["other"]] = match["label"] or match["text"]
    return nodes


NODES = {"flowchart": _flow_nodes, "class": _class_nodes, "sequence": _sequence_nodes, "state": _state_nodes}
