"""The source index: every pinned line with the articles that explain it."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError

from .small_book import EDGE, FLAG, GENERATED, GRAPH, fence


@pytest.fixture
def article(book):
    page = book / "docs" / "en" / "module-02-x" / "edges.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        f"---\ntitle: Edges\n---\n\n# Edges {{#edges}}\n\nAn [edge]({EDGE}), its [flag](<{FLAG}>).\n\n"
        f"## More `code` {{#more}}\n\n"
        f"The [edge]({EDGE}) again, a [function]({GRAPH}), [written]({GENERATED}).\n"
    )
    yield page
    page.unlink()
    page.parent.rmdir()


def test_a_file_lists_its_lines_with_articles_and_sections(article, draw):
    drawn = draw(fence("sources", "all"))
    files = {part["data-path"]: part for part in drawn(class_="it-source")}
    assert len(files) == 3
    whole, flag = files["torch/csrc/autograd/edge.h"]("li")
    assert (whole["data-first"], whole["data-last"]) == ("14", "39")
    assert whole.a["href"].endswith("edge.h#L14-L39") and whole.code.text == "Edge"
    assert [a.text for a in whole.find(class_="it-source-page")("a")] == ["Edges", "Edges", "More code"]
    assert [a["href"] for a in whole.find(class_="it-source-page")("a")][-1] == "module-02-x/edges.md#more"
    assert flag["data-first"] == flag["data-last"]


def test_a_generated_file_is_listed_without_a_link_to_lines(article, draw):
    part = draw(fence("sources", "all")).find(
        attrs={"data-path": GENERATED.split("::")[0].removeprefix("src:")}
    )
    assert part.li.find("a")["href"] == "module-02-x/edges.md"


def test_there_is_one_index(draw):
    with pytest.raises(BookError, match="fence-subject"):
        draw(fence("sources", "some"))
