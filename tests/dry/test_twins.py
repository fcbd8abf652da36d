"""What the host does for the dry GPU and for a real one: the same program says the same on both.

The dry GPU says a compute capability and a number of multiprocessors, by which PyTorch chooses kernels and
grids; on a GPU that has others, what they decide is left out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch
from inside_torch.dry import cuda_build
from inside_torch.dry.dry_run import DryGpu, run_dry

from . import on_cuda
from .test_dry_gpu import PROGRAMS, ROOT

TWIN = PROGRAMS / "twin.py"
#: What hangs on the kind of GPU.
LAUNCHES = ("elementwise", "two_streams", "reductions", "step")
KIND = ((9, 0), 132)
pytestmark = on_cuda


def differences(dry: dict, real: dict) -> list[str]:
    """What the two say otherwise, a line each."""
    return [
        f"{name}: the dry GPU {dry.get(name)}, a real one {real.get(name)}"
        for name in dict.fromkeys([*dry, *real])
        if dry.get(name) != real.get(name)
    ]


@pytest.fixture(scope="module")
def dry(tmp_path_factory):
    """What the program says on the dry GPU."""
    log = tmp_path_factory.mktemp("twin") / "log"
    done = run_dry(cuda_build.find(ROOT), TWIN, gpu=DryGpu(), log=log, capture=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_the_program_reaches_all_that_it_compares(dry):
    assert len(dry["elementwise"]) == 6 and all(len(dry[name]) > 2 for name in LAUNCHES)
    assert {launch[4] for launch in dry["two_streams"]} == {0, 1}
    assert dry["thread"] == "pt_autograd_0"
    assert dry["given away while the stream lags, recorded: False"]
    assert not dry["given away while the stream lags, recorded: True"]
    assert dry["allocated"]["allocation.current"] == 8 and dry["emptied"]["blocks"] == []
    assert dry["edges of the graph"] == 2 and dry["used again"]
    assert "due to a previous error during capture" in dry["a wait in a capture"]
    assert dry["too much"].startswith("CUDA out of memory")


def test_a_difference_is_seen(dry):
    other = dry | {"thread": "MainThread", "half given back": {**dry["half given back"], "active.current": 9}}
    assert [line.partition(":")[0] for line in differences(dry, other)] == ["half given back", "thread"]
    assert differences(dry, {}) and not differences(dry, dict(dry))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_real_gpu_is_asked_the_same(dry):
    done = subprocess.run([sys.executable, TWIN], env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    real = json.loads(done.stdout)
    properties = torch.cuda.get_device_properties(0)
    if ((properties.major, properties.minor), properties.multi_processor_count) != KIND:
        for name in LAUNCHES:
            del dry[name], real[name]
    assert differences(dry, real) == []
