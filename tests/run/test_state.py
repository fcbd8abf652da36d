"""What a probe leaves behind is gone when the next one begins."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import warnings

import pytest
import torch
from inside_torch.errors import BookError
from inside_torch.run.state import clean

#: The state that a probe begins with.
SEEN = {
    "dtype": lambda: torch.get_default_dtype(),
    "device": lambda: torch.get_default_device(),
    "modes": lambda: len(torch.overrides._get_current_function_mode_stack()),
    "random": lambda: torch.rand(2).tolist(),
    "python random": lambda: random.random(),
    "grad": lambda: torch.is_grad_enabled(),
    "inference": lambda: torch.is_inference_mode_enabled(),
    "threads": lambda: torch.get_num_threads(),
    "deterministic": lambda: torch.are_deterministic_algorithms_enabled(),
    "fill": lambda: torch.utils.deterministic.fill_uninitialized_memory,
    "matmul": lambda: torch.get_float32_matmul_precision(),
    "print": lambda: repr(torch.tensor([1 / 3, 1e6])),
    "anomaly": lambda: torch.is_anomaly_enabled(),
    "multithreading": lambda: torch.autograd.is_multithreading_enabled(),
    "autocast": lambda: torch.is_autocast_enabled("cpu"),
    "warn always": lambda: torch.is_warn_always_enabled(),
    "hooks": lambda: torch._C._autograd._top_saved_tensors_default_hooks(True),
    "filters": lambda: len(warnings.filters),
    "folder": lambda: os.getcwd(),
    "environment": lambda: {name: os.environ[name] for name in os.environ if name != "PYTEST_CURRENT_TEST"},
    "path": lambda: list(sys.path),
    "main": lambda: sys.modules["__main__"],
}


def seen() -> dict[str, object]:
    return {what: look() for what, look in SEEN.items()}


class Mode(torch.overrides.TorchFunctionMode):
    """A function mode that changes nothing."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


LEAKS = {
    "dtype": lambda: torch.set_default_dtype(torch.float64),
    "device": lambda: torch.set_default_device("meta"),
    "modes": lambda: Mode().__enter__(),
    "random": lambda: torch.manual_seed(7),
    "python random": lambda: random.seed(7),
    "grad": lambda: torch.set_grad_enabled(False),
    "threads": lambda: torch.set_num_threads(torch.get_num_threads() + 1),
    "deterministic": lambda: torch.use_deterministic_algorithms(True),
    "fill": lambda: setattr(torch.utils.deterministic, "fill_uninitialized_memory", False),
    "matmul": lambda: torch.set_float32_matmul_precision("medium"),
    "print": lambda: torch.set_printoptions(precision=1, sci_mode=True),
    "anomaly": lambda: torch.autograd.set_detect_anomaly(True),
    "multithreading": lambda: torch.autograd.set_multithreading_enabled(False),
    "autocast": lambda: torch.set_autocast_enabled("cpu", True),
    "warn always": lambda: torch.set_warn_always(True),
    "hooks": lambda: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__(),
    "filters": lambda: warnings.simplefilter("error"),
    "folder": lambda: os.chdir("/"),
    "environment": lambda: os.environ.update(INSIDE_TORCH_LEAK="1"),
    "path": lambda: sys.path.insert(0, "/nowhere"),
    "main": lambda: sys.modules.update(__main__=random),
}


@pytest.fixture(scope="module")
def defaults():
    with clean():
        return seen()


@pytest.mark.parametrize("what", LEAKS)
def test_a_leak_does_not_reach_the_next_probe(what, defaults):
    with clean():
        LEAKS[what]()
        assert SEEN[what]() != defaults[what], "this leaks nothing"
    with clean():
        assert seen() == defaults


def test_a_leak_is_undone_when_the_probe_raises(defaults):
    with pytest.raises(ZeroDivisionError), clean():
        torch.set_default_dtype(torch.float64)
        raise ZeroDivisionError
    with clean():
        assert seen() == defaults


def test_what_cannot_be_undone_is_an_error():
    mode = torch.inference_mode()
    with pytest.raises(BookError, match="inference mode"), clean():
        mode.__enter__()
    mode.__exit__(None, None, None)


def test_dynamo_is_not_imported_for_it():
    script = "import sys\nfrom inside_torch.run.state import clean\nwith clean(): pass\nprint(*sys.modules)"
    # In a process of its own: any other test may have imported it in this one.
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "torch.overrides" in done.stdout.split() and "torch._dynamo" not in done.stdout.split()


def test_the_default_device_is_set_where_it_is_not_the_cpu():
    with clean("meta"):
        assert torch.ones(2).device.type == "meta"
    with clean("cpu"):
        assert not torch.overrides._get_current_function_mode_stack()
