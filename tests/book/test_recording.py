"""The files that a run leaves beside its program."""

from __future__ import annotations

import pytest
from inside_torch.book.recording import Frame, Output, PathRecording, Program, Results
from inside_torch.errors import BookError
from inside_torch.files import write_whole


def _program(root, name="m/a/x.py", text="print(1)\n"):
    file = root / "snippets" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_program_is_found_by_any_of_its_names(tmp_path):
    single, several = _program(tmp_path), _program(tmp_path, "m/a/many/main.py")
    assert Program.find(tmp_path, "m/a/x.py") == Program.find(tmp_path, "m/a/x") == Program("m/a/x", single)
    assert (
        Program.find(tmp_path, "m/a/many")
        == Program.find(tmp_path, "m/a/many/main.py")
        == Program("m/a/many/main", several)
    )
    assert Program.find(tmp_path, "m/a/x").path == single.with_name("x.path.json")


def test_any_file_of_a_folder_names_its_program(tmp_path):
    several = _program(tmp_path, "m/a/many/main.py")
    helper = _program(tmp_path, "m/a/many/csrc/op.cpp")
    program = Program.find(tmp_path, "m/a/many/csrc/op.cpp")
    assert program == Program("m/a/many/main", several) and program.files == [helper, several]


def test_a_name_cannot_leave_the_folder(tmp_path):
    (tmp_path / "x.py").write_text("")
    _program(tmp_path)
    with pytest.raises(BookError, match="no-such-program"):
        Program.find(tmp_path, "../x.py")
    with pytest.raises(BookError, match="no-such-program"):
        Program.find(tmp_path, str(tmp_path / "x.py"))


def test_an_unknown_program_names_the_nearest(tmp_path):
    _program(tmp_path)
    with pytest.raises(BookError) as caught:
        Program.find(tmp_path, "m/a/y.py")
    assert caught.value.nearest == "m/a/x.py"


def test_the_digest_follows_every_file_of_the_program(tmp_path):
    main, other = _program(tmp_path, "m/a/many/main.py"), _program(tmp_path, "m/a/many/other.cpp")
    before = Program.find(tmp_path, "m/a/many").digest
    other.write_text("changed")
    assert Program.find(tmp_path, "m/a/many").digest != before
    assert main.exists()


def test_recordings_survive_the_disk(tmp_path):
    frames = [Frame(depth=0, language="python", symbol="f", full_symbol="f", pin="src:a.py::f", thread=0)]
    path = PathRecording(
        program="m/a/x", program_digest="0", release="2.13.0", build="cpu", machine="m", frames=frames
    )
    results = Results(
        program="m/a/x", program_digest="0", date="2026-01-01", build="cpu", machine="m", values={"r": 1.5}
    )
    for record in (path, results):
        file = tmp_path / "record.json"
        record.dump(file)
        once = file.read_bytes()
        type(record).load(file).dump(file)
        assert type(record).load(file) == record and file.read_bytes() == once


@pytest.mark.parametrize("text", ["", "{", "[]", '{"program": "x"}', '{"surprise": 1}'])
def test_a_bad_recording_is_one_clear_error(tmp_path, text):
    file = tmp_path / "x.path.json"
    file.write_text(text)
    with pytest.raises(BookError) as caught:
        PathRecording.load(file)
    assert caught.value.rule == "recording" and "inside-torch trace" in caught.value.expected


def test_what_was_edited_is_no_recording(tmp_path):
    frames = [Frame(depth=0, language="cpp", symbol=name, full_symbol=name) for name in "ab"]
    path = PathRecording(
        program="m/a/x", program_digest="0", release="2.13.0", build="cpu", machine="m", frames=frames
    )
    file = tmp_path / "x.path.json"
    path.dump(file)
    written = file.read_text()
    for before, after in (("2.13.0", "2.15.0"), ('"m"', '"n"'), ('"symbol": "a"', '"symbol": "c"')):
        file.write_text(written.replace(before, after, 1))
        with pytest.raises(BookError, match="not what was recorded"):
            PathRecording.load(file)
    file.write_text(path.model_dump_json())
    with pytest.raises(BookError, match="no digest"):
        PathRecording.load(file)


def test_a_missing_recording_says_what_makes_it(tmp_path):
    with pytest.raises(BookError, match="inside-torch measure"):
        Results.load(tmp_path / "x.results.json")
    with pytest.raises(BookError, match="inside-torch record"):
        Output.load(tmp_path / "x.out")


def test_a_failed_write_leaves_nothing(tmp_path):
    file = tmp_path / "x.out"
    write_whole(file, "before")
    with pytest.raises(UnicodeEncodeError):
        write_whole(file, "\ud800")
    assert file.read_text() == "before" and list(tmp_path.iterdir()) == [file]
