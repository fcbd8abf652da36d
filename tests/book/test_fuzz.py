"""Whatever stands in a page, a curriculum or a fence: errors of ours with their place, and no traceback."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from inside_torch.book.curriculum import FILE, load
from inside_torch.book.fence_kinds import parse
from inside_torch.book.fences import scan, split
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page, _parsed
from inside_torch.book.recording import PathRecording, Program, Results
from inside_torch.book.uses import in_yaml
from inside_torch.errors import BookError

CALM = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
calm = settings(max_examples=150, suppress_health_check=CALM)

PIECES = st.sampled_from(
    [
        "```",
        "````",
        "~~~",
        "python",
        "excerpt",
        "program",
        "path",
        "mermaid",
        "route",
        "exercise",
        "measurements",
        '{id="a"}',
        "{",
        "}",
        "excuse=",
        '"',
        "'",
        "\n",
        "\n\n",
        "    ",
        "> ",
        "- ",
        "1. ",
        "`x`:",
        " x3",
        "id: a",
        "src:torch/x.py::f",
        "show: `a` .. `b`",
        "rows:",
        "  a: b",
        "---",
        "---\n",
        "title: x",
        "# A {#a}",
        "{{ a/b:c }}",
        "<script>",
        "<!--",
        "-->",
        "{{",
        "}}",
        "[x](",
        ")",
        "\0",
        "\ufeff",
        "\r",
        "\t",
        "é",
        "中",
    ]
)
TEXT = st.one_of(st.lists(PIECES, max_size=40).map("".join), st.text(max_size=80))


@calm
@given(TEXT)
def test_any_text_has_fences_or_an_error_with_its_line(text):
    try:
        fences = scan(text)
        split(text)
    except BookError as error:
        assert error.line is None or 1 <= error.line <= text.count("\n") + 2
        return
    for fence in fences:
        block, wrong = parse(fence)
        assert block is not None or wrong
        assert all(error.line >= fence.line for error in wrong)


@calm
@given(st.one_of(TEXT, TEXT.map(lambda text: f"---\n{text}\n---\n# A {{#a}}\n")))
@example("---\n? [a]: b\n---\n")
@example("---\n&a [*a]\n---\n")
@example("---\n!!python/object/apply:os.system ['true']\n---\n")
def test_any_page_is_read_and_its_faults_are_ours(tmp_path, text):
    folder = tmp_path / "docs" / "en" / "module-00-x"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "a.md"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    page = Page.load(tmp_path, file, ENGLISH)
    assert all(isinstance(error, BookError) and error.file is not None for error in page.errors)
    assert all(1 <= use.line <= text.count("\n") + 1 for use in page.uses)
    assert len(page.headings) + len(page.links) + len(page.ids) + len(page.values) <= len(text)


@calm
@given(st.one_of(st.binary(max_size=80), TEXT.map(lambda text: f"modules: {text}\nroutes: {{}}\n".encode())))
@example(
    b"modules: {}\nroutes: {a: {title: {en: a, zh: b}, for: {en: a, zh: b}, branches: [{steps: [x]}]}}\n"
)
@example(b"!!python/object/apply:os.system ['true']\n")
def test_any_curriculum_is_one_or_an_error(tmp_path, content):
    (tmp_path / "docs").mkdir(exist_ok=True)
    (tmp_path / FILE).write_bytes(content)
    try:
        load(tmp_path)
    except BookError as error:
        assert error.rule == "curriculum" and str(error.file) == str(FILE)


@calm
@given(TEXT)
@example("../../../etc/passwd")
@example("/etc/passwd")
@example("..")
def test_no_name_of_a_program_leads_out_of_the_snippets(tmp_path, subject):
    (tmp_path / "snippets").mkdir(exist_ok=True)
    (tmp_path / "secret.py").write_text("")
    with pytest.raises(BookError, match="no-such-program"):
        Program.find(tmp_path, subject)
    with pytest.raises(BookError, match="no-such-program"):
        Program.find(tmp_path, f"../{subject}")


@calm
@given(st.binary(max_size=80), st.sampled_from([PathRecording, Results]))
def test_any_recording_is_one_or_an_error(tmp_path, content, kind):
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(BookError, match="recording"):
        kind.load(file)


@calm
@given(
    st.lists(
        st.one_of(PIECES, st.sampled_from(["src:", "a.py", "[x](", "(", ")", "<", ">", '"t"', "[r]: "])),
        max_size=30,
    )
)
@example(["[x](", "<", "(" * 30, "src:a.py"])
@example(["\r", "[x](", "src:", ")"])
def test_uses_are_found_in_any_text(tmp_path, parts):
    file = tmp_path / ENGLISH.docs / "page.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(parts), encoding="utf-8")
    _parsed.cache_clear()  # the file is written faster than its time of change tells
    lines = file.read_text(encoding="utf-8").count("\n") + 1  # a lone return ends a line too
    for use in Page.load(tmp_path, file, ENGLISH).uses:
        assert use.written.startswith("src:") and 1 <= use.line <= lines


@calm
@given(st.text(alphabet="-: []{}&*!|>'\"%@`#,?\nsrcab0é\0", max_size=60))
def test_any_yaml_is_read_or_refused_as_yaml(text):
    try:
        assert all(written.startswith("src:") for written, _ in in_yaml(text))
    except yaml.YAMLError:
        return
