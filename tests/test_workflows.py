"""What the workflows run is there: commands, options, and the kinds of processor."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml
from inside_torch.cli import app
from inside_torch.run.capability import CAPABILITIES
from typer.testing import CliRunner

ROOT = Path(__file__).parent.parent
WORKFLOWS = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
COMMANDS = [
    (name, step["run"])
    for name, workflow in WORKFLOWS.items()
    for job in workflow["jobs"].values()
    for step in job["steps"]
    if "dev.py run" in step.get("run", "")
]


@pytest.mark.parametrize(("workflow", "command"), COMMANDS)
def test_a_verb_has_the_options_that_it_is_given(workflow, command):
    words = shlex.split(re.sub(r"\$\{[^}]*\}+", "", command.partition("dev.py run")[2]))
    verb, options = words[0], [word for word in words if word.startswith("--")]
    result = CliRunner().invoke(app, [verb, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert all(option in result.output for option in options), options


def test_the_book_is_run_as_other_processors_run_it():
    assert COMMANDS
    capabilities = WORKFLOWS["scheduled"]["jobs"]["capability"]["strategy"]["matrix"]["capability"]
    assert {"default", "avx2"} <= set(capabilities) <= set(CAPABILITIES)
    runners = {job["runs-on"] for job in WORKFLOWS["ci"]["jobs"].values()}
    assert any(runner.endswith("-arm") for runner in runners) and "ubuntu-24.04" in runners
