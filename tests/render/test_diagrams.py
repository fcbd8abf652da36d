"""Diagrams: links resolved, labels that name code are links, nothing else gets through."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.render.diagrams import _stands_in, names_symbol, symbols_of

from .small_book import EDGE, EXECUTE, GENERATED, fence

TEXTS = ("  accTitle: The title", "  accDescr: What it shows.")


def flow(*lines: str) -> str:
    """A flowchart that has its texts."""
    return fence("mermaid", "flowchart TD", *TEXTS, *lines)


def test_a_click_leads_to_the_lines_and_says_so(draw):
    drawn = draw(
        fence(
            "mermaid",
            "flowchart TD",
            *TEXTS,
            '  A["Engine::execute"] --> B[x]',
            f'  click A href "{EXECUTE}"',
        )
    )
    source = drawn.find("div", class_="mermaid").text
    assert 'click A href "https://github.com/pytorch/pytorch/blob/' in source
    assert 'engine.cpp#L1294-L1404" "torch/csrc/autograd/engine.cpp, lines 1294–1404' in source
    assert drawn.figcaption.text == "The title"
    assert drawn.noscript.a.text == "Engine::execute" and drawn.noscript.a["rel"] == ["noopener"]


@pytest.mark.parametrize("texts", [TEXTS, (TEXTS[0], "  accDescr {", "    What it", "    shows.", "  }")])
def test_without_a_script_a_diagram_is_described(draw, texts):
    drawn = draw(fence("mermaid", "flowchart TD", *texts, "  A[x] --> B[y]"))
    assert [child.text for child in drawn.noscript.find_all("p")] == ["What it shows."]
    assert not drawn.noscript.ul


def test_the_source_is_escaped_in_the_page_and_whole_in_its_text(draw):
    drawn = draw(flow('  A["x &lt; y <b>"] -->|"a & b"| B["#lt;"]'))
    assert "--&gt;" in drawn.html and drawn.b is None
    assert '-->|"a & b"| B["#lt;"]' in drawn.find("div", class_="mermaid").text


def test_a_generated_file_has_no_click(draw):
    drawn = draw(
        fence("mermaid", "flowchart TD", *TEXTS, "  A[MulBackward0]", f'  click A href "{GENERATED}"')
    )
    assert "click" not in drawn.find("div", class_="mermaid").text


def test_an_anchor_of_the_page_is_a_link_too(draw):
    drawn = draw(flow("  A[MulBackward0]", '  click A href "#proof"'))
    assert 'click A href "#proof"' in drawn.find("div", class_="mermaid").text


def test_a_sequence_diagram_keeps_the_lines_of_its_links(draw):
    drawn = draw(
        fence(
            "mermaid",
            "sequenceDiagram",
            *TEXTS,
            "  participant E as Engine::execute",
            "  P->>E: run",
            f"  link E: source @ {EXECUTE}",
        )
    )
    assert "link E: source @ https://" in drawn.find("div", class_="mermaid").text
    assert "engine.cpp#35;L1294-L1404" in drawn.find("div", class_="mermaid").text


def test_the_classes_of_a_class_diagram_are_links(draw):
    drawn = draw(
        fence(
            "mermaid",
            "classDiagram",
            *TEXTS,
            "  Edge <|-- Leaf",
            f'  click Edge href "{EDGE}"',
            '  click Leaf href "#leaf"',
        )
    )
    assert drawn.find("div", class_="mermaid").text.count("https://") == 1
    assert 'click Leaf href "#leaf"' in drawn.find("div", class_="mermaid").text


@pytest.mark.parametrize(
    "label",
    [
        "Engine::execute",
        "apply()",
        "grad_fn",
        "__torch_dispatch__",
        "AccumulateGrad",
        "MulBackward0",
        "call requires_grad",
        "THPVariable",
    ],
)
def test_labels_that_name_symbols(label):
    assert names_symbol(label)


@pytest.mark.parametrize(
    "label",
    ["the engine", "PyTorch", "CPU queue", "Engine", "a (b)", "x", "2.13.0", "NumPy", "CPU: libtorch_cpu"],
)
def test_labels_that_name_none(label):
    assert not names_symbol(label)


@pytest.mark.parametrize(
    ("label", "names"),
    [
        ("wait: Node::operator()", ["operator"]),
        ("Function.apply, then grad_fn", ["apply", "grad_fn"]),
        ("call backward()", ["backward"]),
        ("thread_main，在线程 pt_autograd_i 上", ["thread_main", "pt_autograd_i"]),
        ("PyTorch on the CPU", []),
    ],
)
def test_the_symbols_of_a_label_are_its_last_parts(label, names):
    assert symbols_of(label) == names


@pytest.mark.parametrize(
    ("name", "entry", "stands"),
    [
        ("MulBackward0", "mul.Tensor", True),
        ("PowBackward1", "pow.Tensor_Scalar", True),
        ("AsStridedBackward0", "as_strided", True),
        ("MulBackward0", "mm", False),
        ("MuBackward0", "mul.Tensor", False),
    ],
)
def test_a_node_is_named_after_its_entry(name, entry, stands):
    assert _stands_in(name, Address.parse(f"src:tools/autograd/derivatives.yaml::{entry}")) is stands


@pytest.mark.parametrize(
    "line",
    [
        "  A[grad_fn]",
        '  A["grad_fn"] --> B',
        "  B --> A(grad_fn)",
        "  B -->|text| A{{grad_fn}}",
        "  B -- text --> A([grad_fn])",
        "  B & C --> A((grad_fn))",
        "  B --> grad_fn",
        "  subgraph grad_fn",
        '  A@{ shape: rect, label: "grad_fn" }',
    ],
)
def test_a_symbol_is_found_in_every_form_of_node(draw, line):
    end = ["  end"] if "subgraph" in line else []
    with pytest.raises(BookError, match="diagram-link"):
        draw(flow(line, *end))
