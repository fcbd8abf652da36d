"""The dry GPU. What runs programs of the CUDA build is run by the half of the suite that has it."""

import pytest
import torch

on_cuda = pytest.mark.skipif(
    torch.version.cuda is None, reason="this torch is the CPU build; `dev.py test --build cuda` runs it"
)
