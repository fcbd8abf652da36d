"""Ask the dynamic linker which library holds each station of `a + b`."""

import ctypes
from pathlib import Path

import torch

# region stations
STATIONS = {
    "PyInit__C": "PyInit__C",
    "THPVariable_Wrap": "_Z16THPVariable_WrapON2at10TensorBaseE",
    "at::_ops::add_Tensor::call": "_ZN2at4_ops10add_Tensor4callERKNS_6TensorES4_RKN3c106ScalarE",
    "c10::Dispatcher::realSingleton": "_ZN3c1010Dispatcher13realSingletonEv",
    "torch::autograd::generated::AddBackward0::apply": (
        "_ZN5torch8autograd9generated12AddBackward05applyEOSt6vectorIN2at6TensorESaIS5_EE"
    ),
    "at::meta::structured_add_Tensor::meta": (
        "_ZN2at4meta21structured_add_Tensor4metaERKNS_6TensorES4_RKN3c106ScalarE"
    ),
    "at::TensorIteratorBase::build": "_ZN2at18TensorIteratorBase5buildERNS_20TensorIteratorConfigE",
    "at::native::structured_ufunc_add_CPU::impl": (
        "_ZN2at6native24structured_ufunc_add_CPU4implERKNS_6TensorES4_RKN3c106ScalarES4_"
    ),
    "c10::alloc_cpu": "_ZN3c109alloc_cpuEm",
}
# endregion


# region ask
class Found(ctypes.Structure):
    """Dl_info of <dlfcn.h>."""

    _fields_ = [
        ("library", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    ]


def library(symbol):
    """The file that defines a symbol which `torch._C` can reach, itself or through what it is linked with."""
    found = Found()
    ctypes.CDLL(None).dladdr(ctypes.CDLL(torch._C.__file__)[symbol], ctypes.byref(found))
    return Path(found.library.decode()).name.split(".")[0]


# endregion


if __name__ == "__main__":
    for station, symbol in STATIONS.items():
        print(f"{library(symbol):16} {station}")
