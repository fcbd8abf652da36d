"""Builds ``smooth_abs._C``, with the CUDA kernel where nvcc and a CUDA build of PyTorch are."""

from pathlib import Path

import torch
from setuptools import setup
from torch.utils.cpp_extension import CUDA_HOME, BuildExtension, CppExtension, CUDAExtension

with_cuda = torch.version.cuda is not None and CUDA_HOME is not None
sources = [*Path("csrc").glob("*.cpp"), *(Path("csrc").glob("*.cu") if with_cuda else [])]
extension = CUDAExtension if with_cuda else CppExtension

setup(
    ext_modules=[extension("smooth_abs._C", sorted(map(str, sources)))],
    cmdclass={"build_ext": BuildExtension},
)
