"""What starts a program on the dry GPU: it ends after autograd's threads have put down what they carry."""

import ctypes
import hashlib
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from inside_torch.dry import cuda_build
from inside_torch.dry.dry_run import DryGpu, run_dry
from inside_torch.dry.start import settle

from . import on_cuda

ROOT = Path(__file__).parents[2]
NAME_THIS_THREAD = 15  # PR_SET_NAME, see prctl(2)


@pytest.fixture
def work():
    """A thread of a given name: it computes without the interpreter's lock, then sleeps to the end."""
    over, begun, done = threading.Event(), threading.Event(), threading.Event()
    bytes_to_hash = bytes(1 << 28)

    def run(name):
        ctypes.CDLL(None).prctl(NAME_THIS_THREAD, name.encode())
        begun.set()
        hashlib.sha256(bytes_to_hash)
        done.set()
        over.wait()

    def start(name):
        threading.Thread(target=run, args=(name,)).start()
        begun.wait()
        return done

    yield start
    over.set()


def test_it_waits_for_a_thread_of_autograd(work):
    done = work("pt_autograd_0")
    settle(seconds=60)
    assert done.is_set()


def test_it_waits_for_no_other_thread(work):
    done = work("pt_other")
    settle(seconds=60)
    assert not done.is_set()


def test_it_does_not_wait_longer_than_it_may(work):
    done = work("pt_autograd_0")
    before = time.monotonic()
    settle(seconds=0.02)
    assert not done.is_set() and time.monotonic() > before + 0.02


@on_cuda
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="CPython 3.14 ends no thread")
def test_a_thread_that_asks_for_the_interpreter_at_its_end_does_not_end_the_process(tmp_path):
    program = ROOT / "tests" / "fixtures" / "dry" / "late.py"
    library = tmp_path / "late.so"
    source = program.with_suffix(".c")
    subprocess.run(
        [cuda_build.compiler(), "-shared", "-fPIC", source, "-o", library, "-lpthread"], check=True
    )
    without = subprocess.run([sys.executable, program, library], capture_output=True)
    assert without.returncode == -signal.SIGABRT, "the thread is ended, and with it the process"
    done = run_dry(cuda_build.find(ROOT), program, (str(library),), gpu=DryGpu(), capture=True)
    assert done.returncode == 0, done.stderr
