"""What somebody else has sent runs with no network but the machine's own, and not with all of its memory."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TRIES = """
import socket
def attempt(what):
    try:
        what()
    except (OSError, MemoryError) as error:
        return type(error).__name__
    return "done"
own = socket.create_server(("127.0.0.1", 0))
print(attempt(lambda: socket.create_connection(("192.0.2.1", 80), 3)))
print(attempt(lambda: socket.create_connection(own.getsockname(), 3)))
print(attempt(lambda: bytearray(700 << 20)))
print(attempt(lambda: bytearray(50 << 20)))
"""


confined = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("ip"),
    reason="a network of one's own needs Linux, root, unshare and ip",
)


@confined
def test_no_network_and_not_all_the_memory():
    run = subprocess.run(
        [ROOT / ".ci" / "confined", "python3", "-c", TRIES],
        env=os.environ | {"CONFINED_MEMORY_MB": "600"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.stdout.split() == ["OSError", "done", "MemoryError", "done"], run.stderr


@confined
def test_a_failing_command_fails():
    assert subprocess.run([ROOT / ".ci" / "confined", "false"], timeout=600).returncode == 1
